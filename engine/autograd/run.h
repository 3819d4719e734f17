#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autograd/node.h"

namespace lectern::autograd {

/// One traversal of a graph, from results back to leaves. Nodes are visited in decreasing sequence number: at
/// a node's turn everything made from it has been visited, so its gradient is complete. One thread; O(nodes ·
/// log nodes) plus the formulas. Leaves come last, except those with post hooks: each is visited as soon as
/// all nodes that use it have been, so that its hooks can begin to communicate.
///
/// A formula or hook may start a nested run. A gradient that it adds to a node this run has yet to visit is
/// part of the sum that this run finds there.
class Run {
 public:
  explicit Run(bool retain_graph) : retain_graph_(retain_graph) {}
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Computes only what these nodes need, and keeps their gradients instead of accumulating into leaves.
  void capture(std::span<const std::shared_ptr<Node>> nodes, std::span<const std::shared_ptr<Node>> roots);
  /// The gradient of a captured node; undefined: none arrived.
  Tensor captured(const Node* node) const { return captured_.at(node); }

  /// Adds to the gradient of a node's result.
  void add(const std::shared_ptr<Node>& node, Tensor gradient);
  /// The same for a part of a result of shape `whole`.
  void add_part(const std::shared_ptr<Node>& node, const Sizes& whole, const Tensor& gradient,
                const Part& part);
  /// Visits all nodes reachable from those that have a gradient.
  void finish();

  bool needs(const Node* node) const { return node != nullptr && (!is_partial_ || needed_.contains(node)); }

  /// The operation whose formula this thread is computing; empty outside runs.
  static std::string_view current_operation();
  /// The outermost traversal of this thread; null outside runs.
  static Run* current();
  /// Called at the end of finish().
  void queue_callback(std::function<void()> callback) { callbacks_.push_back(std::move(callback)); }

 private:
  void visit(Node& node, Tensor gradient);
  void count_uses();
  void visit_complete_leaves(const Node& user);

  bool retain_graph_;
  bool is_partial_ = false;
  std::vector<std::shared_ptr<Node>> ready_;  ///< a heap by sequence
  std::unordered_set<const Node*> needed_;
  std::unordered_map<const Node*, Tensor> captured_;
  std::unordered_map<const Node*, std::size_t> uses_;  ///< yet to visit, of leaves with post hooks
  std::vector<std::function<void()>> callbacks_;
};

}  // namespace lectern::autograd
