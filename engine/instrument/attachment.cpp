#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "instrument/directive_expression.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// What the directives of a comment apply to.
struct Target {
  struct Evaluation {
    std::size_t statement;
    InspectionPoint point;
  };
  std::vector<Evaluation> evaluations;  ///< where their expressions are evaluated
  std::vector<std::size_t> statements;  ///< whose steps they mark
};

Target make_target(std::size_t statement, std::initializer_list<InspectionPoint> points) {
  Target target{{}, {statement}};
  for (const InspectionPoint point : points) target.evaluations.push_back({statement, point});
  return target;
}

/// `;`, maybe with an attribute: [[fallthrough]];
bool is_empty_statement(const Node& node) {
  if (node.is("attributed_statement")) return is_empty_statement(node.children.back());
  return node.is("expression_statement") && node.first != nullptr && node.first->is(";");
}

/// Finds the statement of each comment and attaches the directives to it.
class Attachment {
 public:
  explicit Attachment(Program& program) : program_(program) {}

  void attach(const Node& comment) {
    Directives directives = parse_directives(program_.text(comment), comment.begin);
    for (const DirectiveError& error : directives.errors) {
      program_.report(Severity::error, error.offset, error.message);
    }
    std::erase_if(directives.found,
                  [&](const Directive& found) { return program_.marking.contains(found.span.begin); });
    if (directives.found.empty()) return;
    const std::size_t begin = directives.found.front().span.begin;
    const Node* body = enclosing_body(comment);
    if (body == nullptr) body = body_before(comment);
    if (body == nullptr) return report_outside(comment, directives.found.front());
    if (const Statement* whole = whole_around(comment)) {
      program_.report(Severity::warning, begin,
                      fmt::format("@{} in what line {} steps over has no effect; write it on that line, or "
                                  "remove it, or the @stepover there",
                                  directive_name(directives.found.front().kind), line(whole->extent.begin)));
      return;
    }
    const std::optional<Target> target = find(comment, *body);
    if (!target) {
      const Node* following = comment.next_code();
      program_.report(
          Severity::error, begin,
          following != nullptr && is_empty_statement(*following)
              ? "what follows this directive does nothing and is no step; write it on the line of "
                "the statement before"
              : "no statement follows this directive in its block; write it on the line of its "
                "statement");
      return;
    }
    for (const Directive& directive : directives.found) {
      if (is_valid(directive)) apply(directive, *target);
    }
  }

 private:
  void report_outside(const Node& comment, const Directive& directive) const {
    const FunctionRecord* function = enclosing_function(comment);
    const bool over = function != nullptr && function->over;
    program_.report(Severity::warning, directive.span.begin,
                    over
                        ? fmt::format("@{} in {}, which is stepped over, has no effect; remove it, or the {}",
                                      directive_name(directive.kind), function->name, function->untraced)
                        : fmt::format("@{} outside of a stepped function has no effect; move it to a "
                                      "statement, or remove the @",
                                      directive_name(directive.kind)));
  }

  /// The loop, branch or block that is one step and has the comment inside; null when there is none.
  const Statement* whole_around(const Node& comment) const {
    for (const Statement& candidate : program_.statements) {
      if (candidate.whole && candidate.extent.contains(comment) && !candidate.header.empty() &&
          line(comment.begin) > line(candidate.header.end - 1) && candidate.header.end <= comment.begin)
        return &candidate;
    }
    return nullptr;
  }

  bool is_valid(const Directive& directive) const {
    for (const Directive::Item& item : directive.items) {
      if (item.text == "*") continue;  // for the kinds that allow it: all names
      const auto error =
          expression_error(directive_name(directive.kind), item.text, item.begin, program_.language);
      if (!error) continue;
      program_.report(Severity::error, error->offset, error->message);
      return false;
    }
    return true;
  }

  int line(std::size_t offset) const { return program_.positions.line(offset); }

  const FunctionRecord* enclosing_function(const Node& comment) const {
    const FunctionRecord* found = nullptr;
    for (const FunctionRecord& function : program_.functions) {
      if (function.span.contains(comment) && (found == nullptr || found->span.begin <= function.span.begin))
        found = &function;
    }
    return found;
  }

  /// The body of the innermost function around the comment; null when that is not stepped or the comment is
  /// outside of its body.
  const Node* enclosing_body(const Node& comment) const {
    const FunctionRecord* found = enclosing_function(comment);
    if (found == nullptr || !found->untraced.empty()) return nullptr;
    for (const Node* node = comment.parent; node != nullptr; node = node->parent) {
      if (node == found->body || (node->is("catch_clause") && node->parent == found->body->parent))
        return found->body;
    }
    return nullptr;
  }

  /// The body of a function that has only the comment's line, before it; null when there is none with a
  /// statement.
  const Node* body_before(const Node& comment) const {
    if (program_.is_alone(comment) || enclosing_function(comment) != nullptr) return nullptr;
    const auto found = std::ranges::find_if(program_.statements, [&](const Statement& candidate) {
      const ByteSpan& span = program_.functions[candidate.function].span;
      return span.end <= comment.begin && line(span.begin) == line(comment.begin);
    });
    return found != program_.statements.end() ? program_.functions[found->function].body : nullptr;
  }

  /// Of the statements that match, the one that ends last; the outermost of several.
  template <typename Matches>
  std::optional<std::size_t> last_statement(const Matches& matches) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < program_.statements.size(); ++i) {
      if (!matches(statement(i))) continue;
      const ByteSpan& extent = statement(i).extent;
      const ByteSpan& best = statement(found.value_or(i)).extent;
      if (!found || extent.end > best.end || (extent.end == best.end && extent.begin < best.begin)) found = i;
    }
    return found;
  }

  std::optional<std::size_t> find_last(const Body& body, std::size_t function) const {
    return last_statement([&](const Statement& candidate) {
      return candidate.function == function && body.span.contains(candidate.extent);
    });
  }

  /// Whether what follows a loop or branch on that line belongs to its body: when the statement has only that
  /// line, or when it ends with a body without braces. (An `else if` continues its branch and is no body.)
  bool ends_in_body(const Statement& compound, int at) const {
    if (compound.bodies.empty()) return false;
    if (line(compound.extent.begin) == at) return true;
    const Body& body = compound.bodies.back();
    if (body.braced || body.span.end != compound.extent.end) return false;
    if (body.entry != InspectionPoint::else_entry) return true;
    const auto last = find_last(body, compound.function);
    return !last || !statement(*last).is_compound() || ends_in_body(statement(*last), at);
  }

  /// The bodies of a loop or branch that a directive after its end may be in: all of one that has only that
  /// line, otherwise the last.
  std::span<const Body> last_bodies(const Statement& compound, int at) const {
    const std::span<const Body> bodies(compound.bodies);
    return line(compound.extent.begin) == at || bodies.empty() ? bodies : bodies.last(1);
  }

  /// Whether variables are declared in the header of a loop or branch, or in these bodies.
  bool declares(const Statement& compound, int at) const {
    return compound.declares || std::ranges::any_of(last_bodies(compound, at), [&](const Body& body) {
             return std::ranges::any_of(program_.statements, [&](const Statement& inside) {
               return inside.declares && inside.function == compound.function &&
                      body.span.contains(inside.extent);
             });
           });
  }

  /// A directive after the end of a statement. In a body it belongs to the last statement of the body. After
  /// a branch it is evaluated whichever way the branch went, unless it may name what only a body sees.
  void add_ending(std::size_t ending, int at, Target& target) const {
    const Statement& owner = statement(ending);
    const bool one_line = line(owner.extent.begin) == at;
    const bool in_body = owner.is_compound() && ends_in_body(owner, at);
    const bool at_exit = in_body && owner.kind == SiteKind::branch && !declares(owner, at);
    if (one_line || at_exit || !in_body) target.statements.push_back(ending);
    if (at_exit || !in_body) {
      target.evaluations.push_back(
          {ending, owner.is_compound() ? InspectionPoint::exit : InspectionPoint::statement});
    }
    if (!in_body) return;
    for (const Body& body : last_bodies(owner, at)) {
      Target inside;
      if (const auto last = find_last(body, owner.function)) {
        add_ending(*last, at, inside);
      } else {
        inside = make_target(ending, {body.entry});
      }
      target.statements.insert(target.statements.end(), inside.statements.begin(), inside.statements.end());
      for (const Target::Evaluation& evaluation : inside.evaluations) {
        if (!at_exit || transfers_control(statement(evaluation.statement).kind))
          target.evaluations.push_back(evaluation);
      }
    }
  }

  std::optional<Target> find(const Node& comment, const Node& body) const {
    const int at = line(comment.begin);
    const bool alone = program_.is_alone(comment);
    if (program_.is_before_body(comment)) return next(comment);
    if (!alone) {
      const auto ending =
          last_statement([&](const Statement& candidate) { return line(candidate.extent.end - 1) == at; });
      if (ending) {
        Target target;
        add_ending(*ending, at, target);
        return target;
      }
    }
    // With code on its line, a comment belongs to the statement on that line; without, to the one around it.
    const auto covers = [&](const ByteSpan& span) {
      if (span.empty()) return false;
      if (alone) return span.begin < comment.begin && comment.end < span.end;
      return line(span.begin) <= at && at <= line(span.end - 1);
    };
    std::optional<Target> best;
    for (std::size_t i = 0; i < program_.statements.size(); ++i) {
      const Statement& candidate = statement(i);
      if (!body.contains(candidate.extent) || program_.functions[candidate.function].body != &body) continue;
      if (covers(candidate.else_header)) best = make_target(i, {InspectionPoint::else_entry});
      if (covers(candidate.header))
        best = make_target(i, {InspectionPoint::statement, InspectionPoint::else_entry});
      if (!candidate.is_compound() && covers(candidate.extent))
        best = make_target(i, {InspectionPoint::statement});
    }
    return best ? best : next(comment);
  }

  /// The next statement in the comment's block or in a nested one.
  std::optional<Target> next(const Node& comment) const {
    const Node* block = comment.parent;
    while (block->is("case_statement") || block->kind.starts_with("preproc_")) block = block->parent;
    for (std::size_t i = 0; i < program_.statements.size(); ++i) {
      const ByteSpan& extent = statement(i).extent;
      if (extent.begin >= comment.end && extent.end <= block->end)
        return make_target(i, {InspectionPoint::statement, InspectionPoint::else_entry});
    }
    return std::nullopt;
  }

  Statement& statement(std::size_t index) const { return program_.statements[index]; }

  void apply(const Directive& directive, const Target& target) {
    program_.directives.push_back({directive, target.statements});
    for (const std::size_t number : target.statements) mark(statement(number), directive);
    for (const std::size_t number : target.statements) {
      if (!is_visible(directive, statement(number))) return;
    }
    for (const Target::Evaluation& evaluation : target.evaluations) inspect(evaluation, directive, target);
  }

  /// Whether a name is that of a local variable where the directive is evaluated.
  bool is_local(std::string_view name, const Target::Evaluation& evaluation) const {
    const auto same = [&](const Insertion& insertion) {
      return insertion.statement == evaluation.statement && insertion.point == evaluation.point;
    };
    const auto insertion = std::ranges::find_if(program_.insertions, same);
    if (insertion == program_.insertions.end()) return false;
    const std::size_t function = statement(evaluation.statement).function;
    return std::ranges::count(program_.locals.visible(insertion->locals, function), name, &Local::name) > 0;
  }

  /// Of several places of a directive, those count where the variables that it names are in scope: a block of
  /// an if may declare what its else does not see.
  bool sees(const Directive::Item& item, const Target::Evaluation& evaluation, const Target& target) const {
    if (target.evaluations.size() == 1) return true;
    std::string_view before;
    for (const std::string_view token : tokens(item.text, program_.language)) {
      const bool member = before == "." || before == "->" || before == "::";
      before = token;
      if (member || is_local(token, evaluation)) continue;
      if (std::ranges::any_of(target.evaluations,
                              [&](const Target::Evaluation& other) { return is_local(token, other); }))
        return false;
    }
    return true;
  }

  /// Of a switch, directives show values before its header: no statement is between that and a case.
  bool is_visible(const Directive& directive, const Statement& header) {
    if (directive.kind != Directive::Kind::inspect && directive.kind != Directive::Kind::full) return true;
    for (const Directive::Item& item : directive.items) {
      for (const std::string_view name : tokens(item.text, program_.language)) {
        if (std::ranges::count(header.unseen, name) == 0) continue;
        program_.report(
            Severity::error, item.begin,
            fmt::format("@{0} {1}: the header of this switch declares {2}, and nothing can be shown "
                        "between the header and a case; write the directive in a case",
                        directive_name(directive.kind), item.text, name));
        return false;
      }
    }
    return true;
  }

  static void mark(Statement& statement, const Directive& directive) {
    if (directive.kind == Directive::Kind::hide) statement.hide = true;
    if (directive.kind == Directive::Kind::stepover) statement.stepover = true;
    if (directive.kind == Directive::Kind::tolerance) statement.tolerances.push_back(directive);
    if (directive.kind != Directive::Kind::volatile_) return;
    for (const Directive::Item& item : directive.items) statement.volatile_names.push_back(item.text);
    if (directive.items.empty()) statement.volatile_names.emplace_back("*");
  }

  void inspect(const Target::Evaluation& evaluation, const Directive& directive, const Target& target) {
    using enum Inspection::Kind;
    Statement& statement = this->statement(evaluation.statement);
    std::vector<Inspection>& inspections = statement.inspections[evaluation.point];
    const bool full = directive.kind == Directive::Kind::full;
    const bool clears = directive.kind == Directive::Kind::clear;
    if (!full && !clears && directive.kind != Directive::Kind::inspect) return;
    for (const Directive::Item& item : directive.items) {
      if (!sees(item, evaluation, target)) continue;
      const bool all = item.text == "*";
      if (all) program_.functions[statement.function].shows_arguments = true;
      const Inspection inspection{all      ? locals
                                  : clears ? clear
                                  : full   ? show_full
                                           : show,
                                  item.text, item.begin};
      const auto same = std::ranges::find(inspections, item.text, &Inspection::expression);
      if (same == inspections.end() || clears) {
        inspections.push_back(inspection);
      } else if (full) {
        *same = inspection;
      }
    }
  }

  Program& program_;
};

}  // namespace

void attach_directives(Program& program) {
  Attachment attachment(program);
  for (const Node* comment : program.comments) attachment.attach(*comment);
  for (Statement& statement : program.statements) {
    statement.hide = statement.hide || std::ranges::any_of(program.hidden, [&](const ByteSpan& hidden) {
                       return hidden.contains(statement.extent);
                     });
    for (const auto& [point, inspections] : statement.inspections)
      program.uses_values = program.uses_values || !inspections.empty();
  }
  program.uses_values =
      program.uses_values || std::ranges::count(program.functions, true, &FunctionRecord::inspects_all) > 0;
}

}  // namespace lectern
