#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "autograd/node.h"

namespace lectern::autograd {

/// One walk through a graph, from results back to leaves. The nodes are visited by falling sequence number:
/// when one's turn comes, everything made from it has had its own, and its gradient is whole. One thread;
/// O(nodes · log nodes) besides the formulas.
///
/// A formula or hook may start another run in between. A gradient that one gives to a node that this one
/// still has to visit is added to what this one will bring there.
class Run {
 public:
  explicit Run(bool retain_graph) : retain_graph_(retain_graph) {}
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Only what these nodes need is computed, and their gradients are kept instead of being added to leaves.
  void capture(std::span<const std::shared_ptr<Node>> nodes, std::span<const std::shared_ptr<Node>> roots);
  /// What has arrived at a captured node; undefined: nothing.
  Tensor captured(const Node* node) const;

  void give(const std::shared_ptr<Node>& node, Tensor gradient);
  /// The gradient of a part of the node's result, which has shape `whole`.
  void give_part(const std::shared_ptr<Node>& node, const Sizes& whole, const Tensor& gradient,
                 const Part& part);
  void finish();

  bool wants(const Node* node) const { return node != nullptr && (!is_partial_ || needed_.contains(node)); }

  /// The name of the operation whose formula this thread computes; empty outside of runs.
  static std::string_view current_operation();

 private:
  void visit(Node& node, Tensor gradient);

  bool retain_graph_;
  bool is_partial_ = false;
  std::vector<std::shared_ptr<Node>> open_;  ///< a heap by sequence
  std::unordered_set<const Node*> needed_;
  std::unordered_map<const Node*, Tensor> captured_;
};

}  // namespace lectern::autograd
