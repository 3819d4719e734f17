#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "instrument/positions.h"

namespace lectern {

/// A node of a parsed source. `kind` and `field` are the grammar's names; tokens have their own text as kind.
struct Node : ByteSpan {
  std::string_view kind;
  std::string_view field;  ///< its role in the parent; empty when it has none
  bool named;
  bool missing;    ///< not in the source: inserted by the parser's error recovery
  bool has_error;  ///< an ERROR or a missing node is in it
  const Node* parent = nullptr;
  const Node* first = nullptr;  ///< of the children
  const Node* next = nullptr;
  const Node* previous = nullptr;
  std::vector<Node> children = {};

  template <typename... Kinds>
  bool is(Kinds... kinds) const {
    return ((kind == kinds) || ...);
  }
  /// Named, and no comment.
  bool is_code() const { return named && !is("comment"); }
  const Node* child(std::string_view role) const;
  const Node* child_of_kind(std::string_view name) const;
  /// The nearest sibling after it, or before it, that is no comment.
  const Node* next_code() const;
  const Node* previous_code() const;
};

/// The first node for which `matches` holds among `node` and its descendants, in source order; null when
/// there is none. Descendants of a node that `enter` refuses are not searched.
template <typename Matches, typename Enter>
const Node* find_node(const Node& node, const Matches& matches, const Enter& enter) {
  if (matches(node)) return &node;
  if (!enter(node)) return nullptr;
  for (const Node& child : node.children) {
    if (const Node* found = find_node(child, matches, enter)) return found;
  }
  return nullptr;
}
template <typename Matches>
const Node* find_node(const Node& node, const Matches& matches) {
  return find_node(node, matches, [](const Node&) { return true; });
}

/// Calls visit(node) for the node and its descendants in source order; where it returns false, the
/// descendants are left out.
template <typename Visit>
void walk(const Node& node, const Visit& visit) {
  find_node(
      node, [](const Node&) { return false; }, visit);
}

/// Whether a loop or branch controls this statement, or the `else` that it is.
bool is_controlled(const Node& node);

/// A parsed source as plain structs: cheap to traverse in every direction.
class SyntaxTree {
 public:
  SyntaxTree(std::string_view source, std::string_view language);

  /// Null when the source is nested deeper than `max_depth`: little code is, and traversals recurse.
  const Node* root() const { return root_.get(); }
  static constexpr int max_depth = 1000;
  /// Where it is, then.
  std::size_t too_deep() const { return too_deep_; }

 private:
  std::unique_ptr<Node> root_;
  std::size_t too_deep_ = 0;
};

}  // namespace lectern
