#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

namespace lectern {

/// A node of a parsed source. `kind` and `field` are the grammar's names; tokens have their own text as kind.
struct Node {
  std::string_view kind;
  std::string_view field;  ///< its role in the parent; empty when it has none
  std::size_t begin, end;  ///< bytes
  bool named;
  bool missing;    ///< not in the source: the parser made it up to go on
  bool has_error;  ///< an ERROR or a missing node is in it
  const Node* parent = nullptr;
  const Node* first = nullptr;
  const Node* next = nullptr;
  const Node* previous = nullptr;

  bool is(std::string_view name) const { return kind == name; }
  const Node* child(std::string_view role) const;
  const Node* child_of_kind(std::string_view name) const;
  /// The nearest sibling after it, or before it, that is no comment.
  const Node* next_code() const;
  const Node* previous_code() const;
  bool contains(const Node& other) const { return begin <= other.begin && other.end <= end; }
};

/// Calls visit(node) for the node and all below it in source order; what returns false is not entered.
template <typename Visit>
void walk(const Node& node, const Visit& visit) {
  if (!visit(node)) return;
  for (const Node* child = node.first; child != nullptr; child = child->next) walk(*child, visit);
}

/// A parsed source as plain structs: cheap to go through in every direction.
class SyntaxTree {
 public:
  SyntaxTree(std::string_view source, std::string_view language);

  /// Null when the source is nested deeper than `max_depth`: no code is, and everything that walks a tree
  /// recurses.
  const Node* root() const { return too_deep_ ? nullptr : &nodes_.front(); }
  static constexpr int max_depth = 1000;

 private:
  std::deque<Node> nodes_;  // addresses stay
  bool too_deep_ = false;
};

}  // namespace lectern
