#include <fmt/format.h>

#include "instrument/names.h"
#include "instrument/placement.h"

namespace lectern {

namespace {

bool makes_calls(const Node& expression) {
  return find_node(expression, [](const Node& node) {
           return node.is("call_expression", "new_expression", "init_statement",
                          "compound_literal_expression", "lambda_expression");
         }) != nullptr;
}

/// Whether the header of a loop or branch declares variables that its body sees.
bool declares_in_header(const Node& node) {
  if (node.is("for_range_loop")) return true;
  for (const Node& part : node.children) {
    if (part.field == "body" || part.field == "consequence" || part.field == "alternative") continue;
    const Node* declaration = find_node(
        part, [](const Node& inner) { return inner.is("declaration"); },
        [](const Node& inner) { return !inner.is("lambda_expression"); });
    if (declaration != nullptr) return true;
  }
  return false;
}

/// The block that a statement is, maybe after attributes; null for others.
const Node* find_block(const Node& node) {
  if (node.is("compound_statement")) return &node;
  return node.is("attributed_statement") ? node.child_of_kind("compound_statement") : nullptr;
}

}  // namespace

void Placement::control_flow(const Node& node, std::size_t begin) {
  Number number;
  {
    const BlockOfLocals header(program_);
    begin_passes(node, begin);
    number = compound(node, begin);
  }
  if (!number) return;
  Statement& statement = program_.statements[*number];
  if (statement.kind == SiteKind::loop) statement.end = program_.statements.size();
  if (auto& passes = statement.passes) passes->end = program_.statements.size();
  insert_inspection(node.end, "", *number, InspectionPoint::exit);
}

Placement::Number Placement::compound(const Node& node, std::size_t begin) {
  if (node.is("if_statement")) return if_statement(node, begin);
  if (node.is("switch_statement")) return switch_statement(node, begin);
  if (node.is("while_statement")) return while_statement(node, begin);
  if (node.is("do_statement")) return do_statement(node);
  if (node.is("for_statement")) return for_statement(node, begin);
  return range_for_statement(node, begin);
}

/// Of a loop with @steps, whose statement is the next one.
void Placement::begin_passes(const Node& node, std::size_t begin) {
  const auto found = program_.marks.find(&node);
  if (found == program_.marks.end() || !found->second.steps) return;
  found->second.placed = true;
  insert(begin, fmt::format("lectern_frame_{}.loop({});", function_, program_.statements.size()));
}

/// A loop or branch, whose header ends where its body begins.
std::size_t Placement::add_compound(const Node& node, SiteKind kind, ByteSpan span, const Node& body) {
  const std::size_t header_begin = node.is("do_statement") ? node.begin : span.begin;
  const std::size_t number =
      add_statement(kind, span, node, {header_begin, body.begin + 1}, declares_in_header(node));
  const Mark* const mark = program_.mark(node);
  if (mark != nullptr && mark->steps)
    program_.statements[number].passes = Passes{mark->steps->first, mark->steps->last, number + 1};
  return number;
}

void Placement::visit_header(const Node& part, std::size_t statement) {
  visit(part);
  note_variables(part, statement);
}

void Placement::body(const Node& node, std::size_t statement, InspectionPoint entry, std::string code) {
  if (program_.statements[statement].passes)
    code += fmt::format("lectern_frame_{}.pass({});", function_, statement);
  const Node* braced = program_.is_stepped_over(node) ? nullptr : find_block(node);
  program_.statements[statement].bodies.push_back({node, braced != nullptr, entry});
  if (braced != nullptr) {
    insert_inspection(braced->begin + 1, code, statement, entry);
    return block(*braced);
  }
  const bool is_loop = program_.statements[statement].kind == SiteKind::loop;
  const bool empty = node.is("expression_statement") && node.first != nullptr && node.first->is(";");
  if (empty && is_loop && !node.parent->is("do_statement") && code.empty()) {
    // A block for what is inspected becomes the body; the semicolon then follows the loop.
    insert_inspection(node.begin, "{", statement, entry);
    program_.insertions.back().after = "}";
    program_.insertions.back().only_if_inspected = true;
    return;
  }
  insert_inspection(node.begin, "{" + code, statement, entry);
  const BlockOfLocals locals(program_);
  this->statement(node, node.begin);
  insert(node.end, "}");
}

Placement::Number Placement::if_statement(const Node& node, std::size_t begin) {
  const Node* condition = node.child("condition");
  const Node* consequence = node.child("consequence");
  if (consequence == nullptr) return {};
  const std::size_t end = condition != nullptr ? condition->end : consequence->begin;
  const std::size_t number = add_compound(node, SiteKind::branch, {begin, end}, *consequence);
  insert(begin, probe_statement(number));
  if (condition != nullptr) visit_header(*condition, number);
  body(*consequence, number, InspectionPoint::statement, "");
  const Node* alternative = node.child("alternative");
  if (alternative == nullptr) return number;
  const Node* branch = alternative->is("else_clause") ? alternative->first->next_code() : alternative;
  if (branch == nullptr) return number;
  program_.statements[number].else_header = {alternative->begin, branch->begin + 1};
  body(*branch, number, InspectionPoint::else_entry, "");
  return number;
}

Placement::Number Placement::switch_statement(const Node& node, std::size_t begin) {
  const Node* condition = node.child("condition");
  const Node* cases = node.child("body");
  if (condition == nullptr || cases == nullptr) return {};
  const std::size_t number = add_compound(node, SiteKind::branch, {begin, condition->end}, *cases);
  // Nothing runs before the first case: directives are evaluated before the switch.
  insert_inspection(begin, probe_statement(number), number, InspectionPoint::statement);
  const int outside = program_.locals.innermost();
  visit_header(*condition, number);
  program_.statements[number].unseen = program_.locals.declared_since(outside);
  const Node* braced = find_block(*cases);
  if (braced == nullptr) {
    statement(*cases, cases->begin);
    return number;
  }
  const Node* first = braced->first;
  while (first != nullptr && !first->is("case_statement", "labeled_statement", "attributed_statement") &&
         !first->kind.starts_with("preproc_if")) {
    if (first->kind.ends_with("_specifier")) visit(*first);
    if (first->is("preproc_include")) report_included(*first);
    first = first->next;
  }
  if (first != nullptr) block(*braced, first);
  return number;
}

/// Whether the compiler may know a condition's value: a probe in it would hide from the compiler that a loop
/// never ends, or runs once.
bool Placement::may_be_constant(const Node& condition) const {
  return find_node(condition, [&](const Node& part) {
           return part.is("call_expression", "declaration", "lambda_expression") ||
                  (part.is("identifier") && !program_.names.constants.contains(program_.text(part)));
         }) == nullptr;
}

Placement::Number Placement::while_statement(const Node& node, std::size_t begin) {
  const Node* condition = node.child("condition");
  const Node* repeated = node.child("body");
  const Node* value = condition != nullptr ? condition->child("value") : nullptr;
  if (condition != nullptr && value == nullptr) value = condition->first->next_code();
  if (value == nullptr || repeated == nullptr) return {};
  const std::size_t number = add_compound(node, SiteKind::loop, {begin, condition->end}, *repeated);
  // Without a probe in the condition: one before the loop for its calls, one on each entry to the body.
  const bool outside = value->is("declaration") || may_be_constant(*value);
  if (!outside) insert(value->begin, probe_expression(number));
  if (outside && makes_calls(*value)) insert(begin, probe_statement(number));
  visit_header(*condition, number);
  body(*repeated, number, InspectionPoint::statement, outside ? probe_statement(number) : "");
  return number;
}

Placement::Number Placement::do_statement(const Node& node) {
  const Node* repeated = node.child("body");
  const Node* condition = node.child("condition");
  if (repeated == nullptr || condition == nullptr) return {};
  const bool constant = may_be_constant(*condition);
  const ByteSpan span =
      constant ? ByteSpan{node.begin, node.begin + 2} : ByteSpan{condition->previous_code()->begin, node.end};
  const std::size_t number = add_compound(node, SiteKind::loop, span, *repeated);
  body(*repeated, number, InspectionPoint::statement, constant ? probe_statement(number) : "");
  if (constant) return number;
  insert(condition->begin + 1, probe_expression(number));
  visit(*condition);
  return number;
}

Placement::Number Placement::for_statement(const Node& node, std::size_t begin) {
  const Node* repeated = node.child("body");
  const Node* close = nullptr;
  for (const Node* child = node.first; child != repeated && child != nullptr; child = child->next) {
    if (child->is(")")) close = child;
  }
  if (repeated == nullptr || close == nullptr) return {};
  const std::size_t number = add_compound(node, SiteKind::loop, {begin, close->end}, *repeated);
  // One step for the initialiser and the first condition, then one for each update and the condition after
  // it: that works with `continue`, and with conditions that are declarations.
  insert(begin, probe_statement(number));
  for (const Node* part = node.first; part != close && part->field != "update"; part = part->next) {
    visit(*part);
    if (part->field == "initializer") note_variables(*part, number);
  }
  if (const Node* update = node.child("update")) {
    insert(update->begin, probe_expression(number));
    visit_header(*update, number);
  } else {
    insert(close->begin, probe(number));
  }
  body(*repeated, number, InspectionPoint::statement, "");
  return number;
}

Placement::Number Placement::range_for_statement(const Node& node, std::size_t begin) {
  const Node* repeated = node.child("body");
  const Node* range = node.child("right");
  const Node* initializer = node.child_of_kind("init_statement");
  if (repeated == nullptr || range == nullptr) return {};
  const ByteSpan span{begin, range->next_code()->end};
  const std::size_t number = add_compound(node, SiteKind::loop, span, *repeated);
  const bool calls = initializer != nullptr || makes_calls(*range);
  const std::string frame = fmt::format("lectern_frame_{}", function_);
  insert(begin, calls ? probe_statement(number) : fmt::format("{}.coming({});", frame, number));
  if (initializer != nullptr) visit_header(*initializer, number);
  visit(*range);
  note_variables(node, number);
  // The range's iterators may call between the passes, as may begin() and end() before the first.
  body(*repeated, number, InspectionPoint::statement,
       fmt::format("{0}.entry({1});const ::lectern::probe::Pass lectern_pass_{1}({0}, {1});", frame, number));
  insert(node.end, fmt::format("{}.coming(-1);", frame));
  return number;
}

}  // namespace lectern
