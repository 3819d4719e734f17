#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/characters.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;
using Names = std::set<std::string_view>;

Names mentioned_names(std::string_view code, std::string_view language) {
  Names names;
  for (const Token& token : tokens_and_comments(code, language)) {
    if (token.kind == TokenKind::name) names.insert(token.text);
  }
  return names;
}

bool share_one(const Names& some, const Names& others) {
  return std::ranges::any_of(some, [&](std::string_view name) { return others.contains(name); });
}

/// Reports directives on values that nothing shows. An error only when a name is nowhere in the file's code
/// and nothing in the function shows it: macros and headers may declare any name that the code mentions.
class NameCheck {
 public:
  explicit NameCheck(Program& program)
      : program_(program), language_(program.language), code_(mentioned_names(program.source, language_)) {}

  void check(const AttachedDirective& attached) {
    const Directive::Kind kind = attached.directive.kind;
    const bool clears = kind == Directive::Kind::clear;
    if (!clears && kind != Directive::Kind::volatile_ && kind != Directive::Kind::tolerance) return;
    for (const Directive::Item& item : attached.directive.items) {
      if (item.text == "*") continue;
      if (clears ? shown_in_function(attached, item.text) : shown_by_statement(attached, item.text)) continue;
      const bool known =
          shown_in_function(attached, item.text) || share_one(mentioned_names(item.text, language_), code_);
      const std::string_view name = directive_name(kind);
      if (!known) {
        program_.report(Severity::error, item.begin,
                        fmt::format("@{0} {1}: nothing in this file is named {1}, and nothing named {1} is "
                                    "inspected in this function; correct the name, or remove it",
                                    name, item.text));
      } else if (clears) {
        program_.report(
            Severity::warning, item.begin,
            fmt::format("@clear {0}: nothing named {0} is inspected in this function, so this has "
                        "no effect; inspect it first, or remove this",
                        item.text));
      } else {
        program_.report(Severity::warning, item.begin,
                        fmt::format("@{0} {1}: this statement neither shows nor inspects {1}, so this has no "
                                    "effect; write it on the statement that does",
                                    name, item.text));
      }
    }
  }

 private:
  /// Which variables `*` shows is not checked.
  bool shows(const Statement& statement, const std::string& text) const {
    const bool name = std::ranges::all_of(text, is_word);
    if (name && program_.functions[statement.function].inspects_all) return true;
    return std::ranges::any_of(statement.inspections, [&](const auto& at) {
      return std::ranges::any_of(at.second, [&](const Inspection& inspection) {
        return (inspection.kind == Inspection::Kind::locals && name) ||
               (inspection.kind != Inspection::Kind::clear && inspection.expression == text);
      });
    });
  }

  bool shown_in_function(const AttachedDirective& attached, const std::string& text) const {
    const std::size_t function = program_.statements[attached.statements.front()].function;
    return std::ranges::any_of(
               program_.statements,
               [&](const Statement& each) { return each.function == function && shows(each, text); }) ||
           std::ranges::any_of(program_.inspected, [&](const InspectedArgument& each) {
             return each.function == function && each.expression == text;
           });
  }

  /// Also when the statement's code names it: hooks and claims show their arguments.
  bool shown_by_statement(const AttachedDirective& attached, const std::string& text) const {
    return std::ranges::any_of(attached.statements, [&](std::size_t number) {
      const Statement& each = program_.statements[number];
      return shows(each, text) || share_one(mentioned_names(text, language_),
                                            mentioned_names(program_.text(each.span), language_));
    });
  }

  Program& program_;
  std::string_view language_;
  Names code_;
};

}  // namespace

void check_directive_names(Program& program) {
  if (program.directives.empty()) return;
  NameCheck names(program);
  for (const AttachedDirective& attached : program.directives) names.check(attached);
}

}  // namespace lectern
