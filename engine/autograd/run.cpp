#include "autograd/run.h"

#include <algorithm>
#include <string>
#include <utility>

#include "autograd/accumulate_grad.h"
#include "autograd/anomaly.h"
#include "autograd/autocast_mode.h"
#include "autograd/grad_mode.h"
#include "autograd/gradient_sums.h"
#include "autograd/operation_recorder.h"
#include "base/noun.h"
#include "base/scoped_value.h"
#include "base/tensor_error.h"
#include "tensor/elements.h"

namespace lectern::autograd {
namespace {

constinit thread_local std::string_view operation{};
constinit thread_local Run* outermost = nullptr;

bool is_earlier(const std::shared_ptr<Node>& a, const std::shared_ptr<Node>& b) {
  return a->sequence() < b->sequence();
}

/// A TensorError when the gradient of this input of the operation contains a NaN.
void check_gradient(std::string_view name, std::size_t input, const Tensor& gradient) {
  const auto nans = statistics(gradient).nan;
  if (nans == 0) return;
  throw TensorError("backward", "the gradient of " + std::string(name) + " with respect to input " +
                                    std::to_string(input) + ", of shape " + to_string(gradient.sizes()) +
                                    ", contains NaN " + with_noun(nans, "time"));
}

}  // namespace

std::string_view Run::current_operation() {
  return operation;
}

Run* Run::current() {
  return outermost;
}

Run::~Run() {
  for (const auto& node : ready_) node->pending_ = Tensor();  // after an exception
}

void Run::capture(std::span<const std::shared_ptr<Node>> nodes,
                  std::span<const std::shared_ptr<Node>> roots) {
  is_partial_ = true;
  for (const auto& node : nodes) {
    captured_.try_emplace(node.get());
    needed_.insert(node.get());
  }
  for (const Node* node : reachable(roots)) {
    const auto inputs = node->inputs();
    const bool is_needed = std::any_of(inputs.begin(), inputs.end(),
                                       [&](const auto& input) { return needed_.contains(input.get()); });
    if (is_needed) needed_.insert(node);
  }
}

void Run::add(const std::shared_ptr<Node>& node, Tensor gradient) {
  if (!needs(node.get())) return;
  if (node->pending_.defined()) {
    node->pending_ = sum(std::move(node->pending_), gradient);
    return;
  }
  node->pending_ = std::move(gradient);
  ready_.push_back(node);
  std::push_heap(ready_.begin(), ready_.end(), is_earlier);
}

void Run::add_part(const std::shared_ptr<Node>& node, const Sizes& whole, const Tensor& gradient,
                   const Part& part) {
  if (!needs(node.get())) return;
  if (node->pending_.defined() && autograd::add_part(node->pending_, gradient, part)) return;
  add(node, part_gradient(whole, gradient, part));
}

void Run::finish() {
  const NoGradGuard no_grad;
  const AutocastGuard autocast_off{AutocastMode()};
  const ScopedValue running(outermost, outermost == nullptr ? this : outermost);
  if (!is_partial_ && AccumulateGrad::are_post_hooks_in_use()) count_uses();
  const GradientRecording* recording = nullptr;
  std::unique_ptr<RecordingScope> scope;
  while (!ready_.empty()) {
    std::pop_heap(ready_.begin(), ready_.end(), is_earlier);
    const std::shared_ptr<Node> node = std::move(ready_.back());
    ready_.pop_back();
    if (node->recording().get() != recording) {
      if (scope != nullptr) scope->finish();
      scope.reset();
      recording = node->recording().get();
      if (recording != nullptr) scope = node->recording()->begin();
    }
    Tensor gradient = std::exchange(node->pending_, Tensor());
    if (gradient.defined()) visit(*node, std::move(gradient));  // else it was a leaf, and has been
  }
  if (scope != nullptr) scope->finish();
  for (std::size_t i = 0; i < callbacks_.size(); ++i) {
    const auto callback = std::move(callbacks_[i]);
    callback();  // may queue another
  }
}

void Run::count_uses() {
  for (const Node* node : reachable(ready_)) {
    for (const auto& input : node->inputs()) {
      const auto* const leaf = dynamic_cast<const AccumulateGrad*>(input.get());
      if (leaf != nullptr && leaf->has_post_hooks()) ++uses_[leaf];
    }
  }
}

void Run::visit_complete_leaves(const Node& user) {
  for (const auto& input : user.inputs()) {
    const auto found = uses_.find(input.get());
    if (found == uses_.end() || --found->second > 0 || !input->pending_.defined()) continue;
    visit(*input, std::exchange(input->pending_, Tensor()));
  }
}

void Run::visit(Node& node, Tensor gradient) {
  const ScopedValue scope(operation, node.name());
  if (const Hooks* hooks = node.hooks_.get()) gradient = hooks->run(std::move(gradient));
  if (node.retained != nullptr) node.retained->grad = gradient;
  if (const auto kept = captured_.find(&node); kept != captured_.end()) {
    kept->second = gradient;
    const auto inputs = node.inputs();
    if (std::none_of(inputs.begin(), inputs.end(), [&](const auto& input) { return needs(input.get()); })) {
      return;
    }
  }
  Gradients gradients(*this, node);
  node.backward(gradient, gradients);
  if (!uses_.empty()) {
    gradient = Tensor();
    visit_complete_leaves(node);
  }
  if (!retain_graph_) node.release();
}

bool Gradients::needs(std::size_t input) const {
  return run_.needs(node_.inputs()[input].get());
}

void Gradients::add(std::size_t input, Tensor gradient) {
  if (!gradient.defined()) return;
  if (is_anomaly_enabled()) check_gradient(node_.name(), input, gradient);
  run_.add(node_.inputs()[input], std::move(gradient));
}

void Gradients::add_part(std::size_t input, const Sizes& whole, const Tensor& gradient, const Part& part) {
  if (is_anomaly_enabled()) check_gradient(node_.name(), input, gradient);
  run_.add_part(node_.inputs()[input], whole, gradient, part);
}

}  // namespace lectern::autograd
