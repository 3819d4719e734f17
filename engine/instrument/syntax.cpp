#include "instrument/syntax.h"

#include <algorithm>
#include <optional>

#include "instrument/grammar.h"

namespace lectern {

namespace {

const Node* find_child(const Node& node, std::string_view Node::*property, std::string_view value) {
  const auto found = std::ranges::find(node.children, value, property);
  return found != node.children.end() ? &*found : nullptr;
}

Node convert(const TSTreeCursor& cursor) {
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  const char* field = ts_tree_cursor_current_field_name(&cursor);
  return {{ts_node_start_byte(node), ts_node_end_byte(node)},
          ts_node_type(node),
          field != nullptr ? field : "",
          ts_node_is_named(node),
          ts_node_is_missing(node),
          ts_node_has_error(node)};
}

/// Where they are nested too deeply; nothing when all were added.
std::optional<std::size_t> add_children(TSTreeCursor& cursor, Node& parent, int depth) {
  const std::uint32_t count = ts_node_child_count(ts_tree_cursor_current_node(&cursor));
  if (!ts_tree_cursor_goto_first_child(&cursor)) return std::nullopt;
  if (depth == SyntaxTree::max_depth) return parent.begin;
  parent.children.reserve(count);  // addresses stay
  Node* previous = nullptr;
  do {
    Node& node = parent.children.emplace_back(convert(cursor));
    node.parent = &parent;
    node.previous = previous;
    (previous != nullptr ? previous->next : parent.first) = &node;
    previous = &node;
    if (const auto too_deep = add_children(cursor, node, depth + 1)) return too_deep;
  } while (ts_tree_cursor_goto_next_sibling(&cursor));
  ts_tree_cursor_goto_parent(&cursor);
  return std::nullopt;
}

}  // namespace

const Node* Node::child(std::string_view role) const {
  return find_child(*this, &Node::field, role);
}

const Node* Node::child_of_kind(std::string_view name) const {
  return find_child(*this, &Node::kind, name);
}

bool is_controlled(const Node& node) {
  if (node.parent == nullptr || !node.is_code()) return false;
  if (node.parent->is("else_clause")) return true;
  const bool controls = node.parent->kind.ends_with("_statement") || node.parent->is("for_range_loop");
  return controls && (node.field == "body" || node.field == "consequence" || node.field == "alternative");
}

const Node* Node::next_code() const {
  const Node* node = next;
  while (node != nullptr && node->is("comment")) node = node->next;
  return node;
}

const Node* Node::previous_code() const {
  const Node* node = previous;
  while (node != nullptr && node->is("comment")) node = node->previous;
  return node;
}

SyntaxTree::SyntaxTree(std::string_view source, std::string_view language) {
  const TreeHandle tree = parse(source, language);
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  root_ = std::make_unique<Node>(convert(cursor));
  if (const auto too_deep = add_children(cursor, *root_, 0)) {
    too_deep_ = *too_deep;
    root_.reset();
  }
  ts_tree_cursor_delete(&cursor);
}

}  // namespace lectern
