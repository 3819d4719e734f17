#include <fmt/format.h>

#include "instrument/program.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;
using Kind = Directive::Kind;

bool is_loop(const Node& node) {
  return node.is("for_statement", "for_range_loop", "while_statement", "do_statement");
}

/// A statement that holds others.
bool is_compound(const Node& node) {
  return is_loop(node) || node.is("if_statement", "switch_statement", "try_statement", "compound_statement");
}

/// A node that contains statements or declarations.
bool is_list(const Node& node) {
  return node.is("compound_statement", "translation_unit", "declaration_list", "field_declaration_list",
                 "case_statement") ||
         node.kind.starts_with("preproc_");
}

bool is_class(const Node& node) {
  return node.is("class_specifier", "struct_specifier", "union_specifier") && node.child("body") != nullptr;
}

bool is_function(const Node& node) {
  return node.is("function_definition", "lambda_expression");
}

const Node* last_code(const Node& node) {
  const Node* last = nullptr;
  for (const Node& child : node.children) {
    if (child.is_code()) last = &child;
  }
  return last;
}

/// The lambda that a declaration or an assignment gives to a variable, or the class that a declaration
/// defines; null when there is none.
const Node* find_definition(const Node& node) {
  const Node* type = node.is("declaration", "field_declaration") ? node.child("type") : nullptr;
  if (type != nullptr && is_class(*type)) return type;
  const Node* holder = type != nullptr ? node.child("declarator") : node.first;
  if (holder == nullptr || !holder->is("init_declarator", "assignment_expression")) return nullptr;
  const Node* value = holder->child(type != nullptr ? "value" : "right");
  return value != nullptr && value->is("lambda_expression") ? value : nullptr;
}

/// The statement or definition in what stands before it: labels, attributes, template parameters, `else`.
const Node* without_prefix(const Node* node) {
  while (node->is("template_declaration", "attributed_statement", "labeled_statement",
                  "linkage_specification", "friend_declaration", "else_clause")) {
    const Node* inner = last_code(*node);
    if (inner == nullptr) break;
    node = inner;
  }
  const Node* definition =
      node->is("declaration", "field_declaration", "expression_statement") ? find_definition(*node) : nullptr;
  return definition != nullptr ? definition : node;
}

/// Finds the statements and definitions to which directives apply as a whole.
class Marks {
 public:
  explicit Marks(Program& program) : program_(program) {}

  void add(const Node& comment) {
    for (const Directive& directive : parse_directives(program_.text(comment), comment.begin).found) {
      if (directive.kind == Kind::steps) add_steps(comment, directive);
      if (directive.kind == Kind::inspect) add_inspect_all(comment, directive);
      if (directive.kind != Kind::stepover && directive.kind != Kind::hide) continue;
      const Node* target = directive.items.empty() ? find_target(comment) : find_file(comment, directive);
      if (target == nullptr) continue;
      const bool in_function = is_in_function(*target);
      const bool marks = directive.kind == Kind::stepover
                             ? is_compound(*target) || is_function(*target)
                             : is_function(*target) || !in_function || is_class(*target);
      if (!marks) continue;
      Mark& mark = program_.marks.try_emplace(target, Mark{.begin = directive.span.begin}).first->second;
      mark.stepover = true;
      program_.marking.insert(directive.span.begin);
      if (directive.kind != Kind::hide) continue;
      mark.hide = true;
      program_.hidden.push_back(hidden_span(*target));
    }
  }

 private:
  void add_steps(const Node& comment, const Directive& directive) {
    program_.marking.insert(directive.span.begin);
    const Node* target = find_target(comment);
    if (target != nullptr && is_loop(*target)) {
      Mark& mark = program_.marks.try_emplace(target, Mark{.begin = directive.span.begin}).first->second;
      mark.steps = directive;
      return;
    }
    program_.report(Severity::error, directive.span.begin,
                    target == nullptr
                        ? "no loop follows this @steps in its block; write it on the header of "
                          "its loop, or on a line of its own before it"
                        : "@steps on what is no loop; write it on the header of a for, while or "
                          "do loop, or on a line of its own before it");
  }

  /// `@inspect *` and nothing else, on a function's definition. In a function, what stands beside the
  /// definition of a lambda concerns the statement that it is in.
  void add_inspect_all(const Node& comment, const Directive& directive) {
    if (directive.items.size() != 1 || directive.items.front().text != "*") return;
    const Node* target = find_target(comment);
    if (target == nullptr || !is_function(*target)) return;
    if (target->is("lambda_expression") && !target->contains(comment) && is_in_function(*target)) return;
    Mark& mark = program_.marks.try_emplace(target, Mark{.begin = directive.span.begin}).first->second;
    mark.inspects_all = directive.span.begin;
    program_.marking.insert(directive.span.begin);
  }

  int line(std::size_t offset) const { return program_.positions.line(offset); }

  static bool is_in_function(const Node& node) {
    for (const Node* around = node.parent; around != nullptr; around = around->parent) {
      if (around->is("compound_statement")) return true;
      if (around->is("field_declaration_list")) return false;
    }
    return false;
  }

  /// The statement or definition of a comment, null when there is none: the one that it stands in or whose
  /// header ends before it, the one that ends on its line, the next one.
  const Node* find_target(const Node& comment) const {
    if (!program_.is_alone(comment)) {
      const Node* before = comment.previous;
      while (before != nullptr && before->is("comment", ";")) before = before->previous;
      if (before != nullptr && line(before->end - 1) == line(comment.begin)) {
        if (before->is("{") && is_list(*comment.parent)) return list_owner(*comment.parent);
        if (before->named && (is_list(*comment.parent) || before->kind.ends_with("_statement")))
          return ending_on_line(*before, line(comment.begin));
      }
    }
    const Node* next = comment.next_code();
    if (next != nullptr && program_.is_before_body(comment)) return without_prefix(next);
    const Node* around = &comment;
    while (around->parent != nullptr && !is_list(*around->parent) && !is_controlled(*around))
      around = around->parent;
    if (around != &comment) return without_prefix(around);
    while (next != nullptr && next->is("preproc_call")) next = next->next_code();
    return next != nullptr && next->named ? without_prefix(next) : nullptr;
  }

  /// What a list in braces is the body of; a block on its own is a statement itself, and so is that of an
  /// `else` or a handler.
  static const Node* list_owner(const Node& list) {
    const Node* owner = list.parent;
    if (owner->is("try_statement") && owner->parent->is("function_definition")) owner = owner->parent;
    const bool alternative = owner->is("if_statement") && list.field == "alternative";
    const bool heads = !list.is("compound_statement") || is_function(*owner) || is_compound(*owner);
    return heads && !alternative && !owner->is("compound_statement") ? owner : &list;
  }

  /// A statement of which a body without braces ends on another line ends with that body's last statement.
  const Node* ending_on_line(const Node& statement, int at) const {
    const Node* node = without_prefix(&statement);
    while (line(node->begin) != at && is_compound(*node) && !node->is("do_statement", "compound_statement")) {
      const Node* body = last_code(*node);
      if (body->is("else_clause")) body = last_code(*body);
      if (body == nullptr || body->is("compound_statement", "catch_clause")) break;
      node = without_prefix(body);
    }
    return node;
  }

  /// The file, for a directive before its first declaration.
  const Node* find_file(const Node& comment, const Directive& directive) {
    bool first = true;
    for (const Node* node = &comment; node->parent != nullptr; node = node->parent) {
      for (const Node* before = node->previous; before != nullptr; before = before->previous) {
        const bool declares =
            before->is_code() && is_list(*before->parent) && !before->kind.starts_with("preproc_");
        first = first && !(declares && !before->is("identifier"));
      }
      first = first && is_list(*node->parent);
    }
    if (first) return &program_.root();
    program_.report(Severity::error, directive.span.begin,
                    "@hide file stands after a declaration; write it on a line of its own at the head of the "
                    "file, or @hide for one definition");
    program_.marking.insert(directive.span.begin);
    return nullptr;
  }

  /// With template parameters, the variable that holds a lambda, and comments right above.
  ByteSpan hidden_span(const Node& target) const {
    const Node* node = &target;
    while (node->parent != nullptr && !is_list(*node->parent)) node = node->parent;
    ByteSpan span{node->begin, node->end};
    if (node->parent == nullptr) return {0, program_.source.size()};
    for (const Node* above = node->previous; above != nullptr && above->is("comment");
         above = above->previous) {
      if (!program_.is_alone(*above) || line(above->end - 1) + 1 != line(span.begin)) break;
      span.begin = above->begin;
    }
    return span;
  }

  Program& program_;
};

/// Why the passes of a loop are not stepped.
std::string unstepped_reason(const Program& program, const Node& loop) {
  for (const Node* node = &loop; node != nullptr; node = node->parent) {
    const Mark* const mark = program.mark(*node);
    if (mark == nullptr || !(mark->stepover || mark->hide)) continue;
    return fmt::format("line {} steps over this loop, so @steps has no effect; remove it, or the {} there",
                       program.positions.line(node->begin), mark->hide ? "@hide" : "@stepover");
  }
  return "this loop is not stepped, so @steps has no effect; remove it";
}

}  // namespace

void check_marks(Program& program) {
  for (const auto& [node, mark] : program.marks) {
    if (mark.placed) continue;
    if (mark.steps) program.report(Severity::error, mark.steps->span.begin, unstepped_reason(program, *node));
    if (mark.inspects_all) {
      program.report(Severity::warning, *mark.inspects_all,
                     "this function is not stepped, so @inspect * has no effect; remove it");
    }
  }
}

void find_marks(Program& program) {
  Marks marks(program);
  for (const Node* comment : program.comments) marks.add(*comment);
}

}  // namespace lectern
