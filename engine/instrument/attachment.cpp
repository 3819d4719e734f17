#include <algorithm>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

#include "instrument/directive_expression.h"
#include "instrument/program.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// Where a comment's directives belong.
struct Target {
  struct Reading {
    int statement;
    Moment moment;
  };
  std::vector<Reading> readings;  ///< when what they show is read
  std::vector<int> statements;    ///< whose steps they mark
};

Target at_entry(int statement, std::initializer_list<Moment> moments) {
  Target target{{}, {statement}};
  for (const Moment moment : moments) target.readings.push_back({statement, moment});
  return target;
}

/// Finds the statement of each comment, and hands the directives over.
class Attachment {
 public:
  explicit Attachment(Program& program) : program_(program) {}

  void attach(const Node& comment) {
    Directives directives = read_directives(program_.text(comment), comment.begin);
    for (const DirectiveError& error : directives.errors) {
      program_.report(Severity::error, error.offset, error.message);
    }
    if (directives.found.empty()) return;
    const Node* body = body_around(comment);
    if (body == nullptr) {
      const Directive& first = directives.found.front();
      program_.report(
          Severity::warning, first.span.begin,
          fmt::format("{} is outside of every stepped function and has no effect; move it to a statement, "
                      "or leave out the @",
                      program_.text({first.span.begin, word_end(first)})));
      return;
    }
    const std::optional<Target> target = find(comment, *body);
    if (!target) {
      program_.report(
          Severity::error, directives.found.front().span.begin,
          "no statement follows in this block to which the directive could belong; write it on the line of "
          "its statement");
      return;
    }
    for (const Directive& directive : directives.found) {
      if (sound(directive)) apply(directive, *target);
    }
  }

 private:
  std::size_t word_end(const Directive& directive) const {
    const std::size_t end = program_.source.find_first_of(" \t\r\n,*", directive.span.begin);
    return std::min(end, directive.span.end);
  }

  bool sound(const Directive& directive) const {
    const std::string_view language = language_of(program_.options.path);
    for (const Directive::Item& item : directive.items) {
      if (item.text == "*") continue;  // all, of the kinds that take it
      const auto error = expression_error(word_of(directive.kind), item.text, item.begin, language);
      if (!error) continue;
      program_.report(Severity::error, error->offset, error->message);
      return false;
    }
    return true;
  }

  int line(std::size_t offset) const { return program_.positions.line(offset); }

  /// The innermost body of a stepped function that holds the comment.
  const Node* body_around(const Node& comment) const {
    const FunctionRecord* found = nullptr;
    for (const FunctionRecord& function : program_.functions) {
      const bool inside = function.span.begin <= comment.begin && comment.end <= function.span.end;
      if (inside && (found == nullptr || found->span.begin <= function.span.begin)) found = &function;
    }
    if (found == nullptr || !found->untraced.empty()) return nullptr;
    for (const Node* node = comment.parent; node != nullptr; node = node->parent) {
      if (node == found->body || (node->is("catch_clause") && node->parent == found->body->parent))
        return found->body;
    }
    return nullptr;
  }

  /// Whether the comment has its lines for itself.
  bool alone(const Node& comment) const {
    const std::string_view source = program_.source;
    const std::size_t begin = program_.positions.line_begin(line(comment.begin));
    const std::size_t end = std::min(source.find('\n', comment.end), source.size());
    const auto blank = [](std::string_view text) {
      return text.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
    };
    return blank(source.substr(begin, comment.begin - begin)) &&
           blank(source.substr(comment.end, end - comment.end));
  }

  /// The outermost last of the statements that fit; -1 when none does.
  template <typename Fits>
  int outermost_last(const Fits& fits) const {
    int found = -1;
    for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) {
      if (!fits(statement(i))) continue;
      const ByteSpan& whole = statement(i).whole;
      const ByteSpan& best = statement(std::max(found, 0)).whole;
      if (found < 0 || whole.end > best.end || (whole.end == best.end && whole.begin < best.begin)) found = i;
    }
    return found;
  }

  int ending_on_line(const Node& comment) const {
    return outermost_last(
        [&](const Statement& candidate) { return line(candidate.whole.end - 1) == line(comment.begin); });
  }

  int last_in(const Body& body, int function) const {
    return outermost_last([&](const Statement& candidate) {
      return candidate.function == function && body.span.begin <= candidate.whole.begin &&
             candidate.whole.end <= body.span.end;
    });
  }

  /// Whether what stands behind a loop or branch, on line `at`, belongs to its body: when all of it is on the
  /// line, or when it ends with a body without braces. (An `else if` goes on with its branch, and is no
  /// body.)
  bool ends_in_body(const Statement& compound, int at) const {
    if (compound.bodies.empty()) return false;
    if (line(compound.whole.begin) == at) return true;
    const Body& body = compound.bodies.back();
    if (body.braced || body.span.end != compound.whole.end) return false;
    const int last = last_in(body, compound.function);
    return body.entry != Moment::otherwise || last < 0 || !statement(last).compound() ||
           ends_in_body(statement(last), at);
  }

  /// Whether variables are declared in the header of a loop or branch, or of one in its bodies.
  bool declares(const Statement& compound) const {
    return compound.declares ||
           std::any_of(compound.bodies.begin(), compound.bodies.end(), [&](const Body& body) {
             const int last = last_in(body, compound.function);
             return last >= 0 && declares(statement(last));
           });
  }

  /// A directive behind the end of a statement. In a body it belongs to the body's last statement. Behind a
  /// branch it is read whichever way the branch went, unless it may name what only a body sees.
  void add_ending(int ending, int at, Target& target) const {
    const Statement& owner = statement(ending);
    const bool one_line = line(owner.whole.begin) == at;
    const bool in_body = owner.compound() && ends_in_body(owner, at);
    const bool afterwards = in_body && owner.kind == StatementKind::branch && !declares(owner);
    if (one_line || afterwards || !in_body) target.statements.push_back(ending);
    if (afterwards || !in_body)
      target.readings.push_back({ending, owner.compound() ? Moment::afterwards : Moment::own});
    if (!in_body) return;
    for (const Body& body : owner.bodies) {
      if (!one_line && &body != &owner.bodies.back()) continue;
      Target inside;
      if (const int last = last_in(body, owner.function); last >= 0) {
        add_ending(last, at, inside);
      } else {
        inside = at_entry(ending, {body.entry});
      }
      target.statements.insert(target.statements.end(), inside.statements.begin(), inside.statements.end());
      for (const Target::Reading& reading : inside.readings) {
        if (!afterwards || statement(reading.statement).leaves()) target.readings.push_back(reading);
      }
    }
  }

  bool belongs_to(const Statement& statement, const Node& body) const {
    return body.begin <= statement.whole.begin && statement.whole.end <= body.end &&
           program_.functions[static_cast<std::size_t>(statement.function)].body == &body;
  }

  std::optional<Target> find(const Node& comment, const Node& body) const {
    const int at = line(comment.begin);
    const bool own_line = alone(comment);
    if (const int ending = own_line ? -1 : ending_on_line(comment); ending >= 0) {
      Target target;
      add_ending(ending, at, target);
      return target;
    }
    std::optional<Target> best;
    for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) {
      const Statement& candidate = statement(i);
      if (!belongs_to(candidate, body)) continue;
      if (on_lines(candidate.otherwise, comment, at, own_line)) best = at_entry(i, {Moment::otherwise});
      if (on_lines(candidate.header, comment, at, own_line))
        best = at_entry(i, {Moment::own, Moment::otherwise});
      if (!candidate.compound() && on_lines(candidate.whole, comment, at, own_line))
        best = at_entry(i, {Moment::own});
    }
    return best ? best : next(comment);
  }

  /// A comment with code on its line belongs to what covers the line, one without to what it stands inside
  /// of.
  bool on_lines(const ByteSpan& span, const Node& comment, int at, bool own_line) const {
    if (span.begin == span.end) return false;
    if (own_line) return span.begin < comment.begin && comment.end < span.end;
    return line(span.begin) <= at && at <= line(span.end - 1);
  }

  /// The next statement in the comment's own block, or in one inside of it.
  std::optional<Target> next(const Node& comment) const {
    const Node* block = comment.parent;
    while (block->is("case_statement") || block->kind.starts_with("preproc_")) block = block->parent;
    for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) {
      const Statement& candidate = statement(i);
      if (candidate.whole.begin < comment.end || candidate.whole.end > block->end) continue;
      return at_entry(i, {Moment::own, Moment::otherwise});
    }
    return std::nullopt;
  }

  Statement& statement(int index) const { return program_.statements[static_cast<std::size_t>(index)]; }

  void apply(const Directive& directive, const Target& target) {
    program_.directives.push_back({directive, target.statements});
    for (const int number : target.statements) mark(statement(number), directive);
    const bool shows = directive.kind == Directive::Kind::inspect ||
                       directive.kind == Directive::Kind::full || directive.kind == Directive::Kind::clear;
    if (!shows) return;
    for (const auto& [number, moment] : target.readings) show(statement(number).shown[moment], directive);
  }

  static void mark(Statement& owner, const Directive& directive) {
    if (directive.kind == Directive::Kind::hide) owner.hide = true;
    if (directive.kind == Directive::Kind::stepover) owner.over = true;
    if (directive.kind == Directive::Kind::tolerance) owner.tolerances.push_back(directive);
    if (directive.kind != Directive::Kind::volatile_) return;
    for (const Directive::Item& item : directive.items) owner.volatile_names.push_back(item.text);
    if (directive.items.empty()) owner.volatile_names.emplace_back("*");
  }

  void show(std::vector<Shown>& shown, const Directive& directive) {
    for (const Directive::Item& item : directive.items) {
      const Shown::Kind kind = directive.kind == Directive::Kind::clear  ? Shown::Kind::clear
                               : directive.kind == Directive::Kind::full ? Shown::Kind::show_full
                                                                         : Shown::Kind::show;
      const auto same =
          std::find_if(shown.begin(), shown.end(), [&](const Shown& s) { return s.text == item.text; });
      if (same == shown.end() || kind == Shown::Kind::clear) {
        shown.push_back({kind, item.text, item.begin});
      } else if (kind == Shown::Kind::show_full || !same->placed) {
        *same = {kind, item.text, item.begin};
      }
    }
  }

  Program& program_;
};

}  // namespace

void attach_directives(Program& program) {
  Attachment attachment(program);
  for (const Node* comment : program.comments) attachment.attach(*comment);
  for (const Statement& statement : program.statements) {
    for (const auto& [moment, shown] : statement.shown)
      program.uses_values = program.uses_values || !shown.empty();
  }
}

}  // namespace lectern
