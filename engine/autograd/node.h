#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/gradient_sums.h"
#include "autograd/hooks.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

class Run;

class AccumulateGrad;
class GradientRecording;
class Gradients;

/// The nodes of an operation's inputs; null for an input that requires no gradient. A few are stored inline.
class InputNodes {
 public:
  InputNodes() = default;
  explicit InputNodes(std::size_t size) : size_(size) {
    if (size > kFew) many_.resize(size);
  }

  std::span<std::shared_ptr<Node>> all() { return {size_ > kFew ? many_.data() : few_.data(), size_}; }
  std::span<const std::shared_ptr<Node>> all() const {
    return {size_ > kFew ? many_.data() : few_.data(), size_};
  }

 private:
  static constexpr std::size_t kFew = 3;

  std::array<std::shared_ptr<Node>, kFew> few_;
  std::vector<std::shared_ptr<Node>> many_;
  std::size_t size_ = 0;
};

/// The inputs of an operation; null or undefined: not differentiable.
struct Inputs : std::span<const Tensor* const> {
  Inputs(std::initializer_list<const Tensor*> inputs) : span(inputs.begin(), inputs.size()) {}
  Inputs(const std::vector<const Tensor*>& inputs) : span(inputs) {}
};

/// A recorded operation in the graph from results back to leaves. It has one result.
class Node {
 public:
  /// The name lives as long as the program.
  Node(std::string_view name, std::uint64_t sequence, InputNodes inputs);
  virtual ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  std::string_view name() const { return name_; }
  /// Larger than those of its inputs.
  std::uint64_t sequence() const { return sequence_; }
  std::span<const std::shared_ptr<Node>> inputs() const { return inputs_.all(); }
  /// Of the recorder that the operation ran under (autograd/operation_recorder.h); null: none.
  const std::shared_ptr<GradientRecording>& recording() const { return recording_; }

  /// Computes the inputs' gradients from the result's.
  virtual void backward(const Tensor& gradient, Gradients& gradients) = 0;
  /// Frees what was saved for backward(), which cannot be called any more.
  virtual void release() {}

  /// The result's hooks; created on first use.
  const std::shared_ptr<Hooks>& hooks();
  /// Stores the result's gradient, too; null: not retained.
  std::shared_ptr<AccumulateGrad> retained = {};

 private:
  friend class Run;

  std::string_view name_;
  std::uint64_t sequence_;
  InputNodes inputs_;
  std::shared_ptr<Hooks> hooks_;
  std::shared_ptr<GradientRecording> recording_;
  Tensor pending_;  ///< in a run: the sum of the gradients so far
};

/// All nodes reachable from these, themselves included, by increasing sequence.
std::vector<const Node*> reachable(std::span<const std::shared_ptr<Node>> roots);

/// The next sequence number of this thread.
std::uint64_t next_sequence();

/// Receives the gradients of a node's inputs.
class Gradients {
 public:
  Gradients(Run& run, const Node& node) : run_(run), node_(node) {}

  /// Whether the gradient of this input is needed.
  bool needs(std::size_t input) const;
  /// Adds to the input's gradient; an undefined one is ignored.
  void add(std::size_t input, Tensor gradient);
  /// The same where only a part of an input of shape `whole` was used: adds to that part of its gradient.
  void add_part(std::size_t input, const Sizes& whole, const Tensor& gradient, const Part& part);
  /// Adds compute() if the gradient is needed.
  template <std::invocable Compute>
  void add(std::size_t input, const Compute& compute) {
    if (needs(input)) add(input, Tensor(compute()));
  }

 private:
  Run& run_;
  const Node& node_;
};

}  // namespace lectern::autograd
