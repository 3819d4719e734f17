#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "instrument/program.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// Where a comment's directives belong.
struct Target {
  int statement;
  std::vector<Moment> moments;
};

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
    apply(directives.found, *target);
  }

 private:
  std::size_t word_end(const Directive& directive) const {
    const std::size_t end = program_.source.find_first_of(" \t\r\n,*", directive.span.begin);
    return std::min(end, directive.span.end);
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

  /// The outermost last statement that ends on the comment's line.
  int ending_on_line(const Node& comment) const {
    int found = -1;
    for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) {
      const ByteSpan& whole = statement(i).whole;
      if (line(whole.end - 1) != line(comment.begin)) continue;
      if (found < 0) {
        found = i;
        continue;
      }
      const ByteSpan& best = statement(found).whole;
      if (whole.end > best.end || (whole.end == best.end && whole.begin < best.begin)) found = i;
    }
    return found;
  }

  bool belongs_to(const Statement& statement, const Node& body) const {
    return body.begin <= statement.whole.begin && statement.whole.end <= body.end &&
           program_.functions[static_cast<std::size_t>(statement.function)].body == &body;
  }

  std::optional<Target> find(const Node& comment, const Node& body) const {
    const int at = line(comment.begin);
    const bool own_line = alone(comment);
    if (const int ending = own_line ? -1 : ending_on_line(comment); ending >= 0) {
      const Moment moment = statement(ending).compound() ? Moment::afterwards : Moment::own;
      return Target{ending, {moment}};
    }
    std::optional<Target> best;
    for (int i = 0; i < static_cast<int>(program_.statements.size()); ++i) {
      const Statement& candidate = statement(i);
      if (!belongs_to(candidate, body)) continue;
      if (on_lines(candidate.otherwise, comment, at, own_line)) best = Target{i, {Moment::otherwise}};
      if (on_lines(candidate.header, comment, at, own_line))
        best = Target{i, {Moment::own, Moment::otherwise}};
      if (!candidate.compound() && on_lines(candidate.whole, comment, at, own_line))
        best = Target{i, {Moment::own}};
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
      return Target{i, {Moment::own, Moment::otherwise}};
    }
    return std::nullopt;
  }

  const Statement& statement(int index) const { return program_.statements[static_cast<std::size_t>(index)]; }

  void apply(const std::vector<Directive>& directives, const Target& target) {
    Statement& owner = program_.statements[static_cast<std::size_t>(target.statement)];
    for (const Directive& directive : directives) {
      switch (directive.kind) {
        case Directive::Kind::hide:
          owner.hide = true;
          break;
        case Directive::Kind::stepover:
          owner.over = true;
          break;
        case Directive::Kind::tolerance:
          owner.tolerances.push_back(directive);
          break;
        case Directive::Kind::volatile_:
          for (const Directive::Item& item : directive.items) owner.volatile_names.push_back(item.text);
          if (directive.items.empty()) owner.volatile_names.emplace_back("*");
          break;
        case Directive::Kind::inspect:
        case Directive::Kind::full:
        case Directive::Kind::clear:
          for (const Moment moment : target.moments) show(owner.shown[moment], directive);
          if (jump_in(owner) != nullptr && target.moments.front() == Moment::afterwards) {
            show(jump_in(owner)->shown[Moment::own], directive);
          }
      }
    }
  }

  /// `if (done) return x;  // @inspect x` is read before the return as well.
  Statement* jump_in(const Statement& branch) {
    for (Statement& inner : program_.statements) {
      const bool leaves = inner.kind == StatementKind::return_ || inner.kind == StatementKind::throw_ ||
                          inner.kind == StatementKind::jump;
      const bool inside = branch.whole.begin < inner.whole.begin && inner.whole.end <= branch.whole.end;
      if (leaves && inside && branch.kind == StatementKind::branch && inner.function == branch.function &&
          line(inner.whole.end - 1) == line(branch.whole.end - 1) &&
          line(branch.whole.begin) == line(inner.whole.begin)) {
        return &inner;
      }
    }
    return nullptr;
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
