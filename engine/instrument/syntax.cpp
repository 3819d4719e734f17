#include "instrument/syntax.h"

#include "instrument/grammar.h"

namespace lectern {

const Node* Node::child(std::string_view role) const {
  for (const Node* node = first; node != nullptr; node = node->next) {
    if (node->field == role) return node;
  }
  return nullptr;
}

const Node* Node::child_of_kind(std::string_view name) const {
  for (const Node* node = first; node != nullptr; node = node->next) {
    if (node->kind == name) return node;
  }
  return nullptr;
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

namespace {

Node convert(const TSTreeCursor& cursor) {
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  const char* field = ts_tree_cursor_current_field_name(&cursor);
  return {.kind = ts_node_type(node),
          .field = field != nullptr ? field : "",
          .begin = ts_node_start_byte(node),
          .end = ts_node_end_byte(node),
          .named = ts_node_is_named(node),
          .missing = ts_node_is_missing(node),
          .has_error = ts_node_has_error(node)};
}

}  // namespace

SyntaxTree::SyntaxTree(std::string_view source, std::string_view language) {
  const TreeHandle tree = parse(source, language);
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
  nodes_.push_back(convert(cursor));
  Node* node = &nodes_.front();
  Node* parent = nullptr;
  int depth = 0;
  const auto add = [&](Node* previous) {
    nodes_.push_back(convert(cursor));
    node = &nodes_.back();
    node->parent = parent;
    node->previous = previous;
    (previous != nullptr ? previous->next : parent->first) = node;
  };
  for (bool done = false; !done;) {
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      if (++depth > max_depth) {
        too_deep_ = true;
        break;
      }
      parent = node;
      add(nullptr);
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        done = true;
        break;
      }
      --depth;
      node = parent;
      parent = const_cast<Node*>(node->parent);
    }
    if (!done) add(node);
  }
  ts_tree_cursor_delete(&cursor);
}

}  // namespace lectern
