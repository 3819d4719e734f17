#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "base/scoped_value.h"
#include "distributed/reducer.h"

namespace lectern::distributed {

inline std::vector<Tensor> tensors_of(const Tensor& output) {
  return {output};
}
inline std::vector<Tensor> tensors_of(const std::vector<Tensor>& outputs) {
  return outputs;
}
template <typename... Outputs>
std::vector<Tensor> tensors_of(const std::tuple<Outputs...>& outputs) {
  std::vector<Tensor> all;
  const auto append = [&](const auto& output) {
    const std::vector<Tensor> some = tensors_of(output);
    all.insert(all.end(), some.begin(), some.end());
  };
  std::apply([&](const auto&... output) { (append(output), ...); }, outputs);
  return all;
}

/// A module that every rank has, trained on a part of the batch by each: as
/// torch.nn.parallel.DistributedDataParallel.
///
///   distributed::DistributedDataParallel ddp(model);
///   loss(ddp(x), y).backward();  // model's gradients are now the mean of all ranks'
///   optimizer.step();            // the same on all ranks
///
/// Called, it calls the module; in the backward() after that, gradients are averaged, bucket by bucket, while
/// earlier layers' are still computed. They are the bits that one process gets which adds up the gradients of
/// all ranks' parts, in the order of ranks, and divides by their number. When backward() has returned, grad()
/// of parameters are views of the buckets; they take no more memory than without it.
///
/// A TensorError when a parameter gets no gradient, unless find_unused_parameters is set: then a parameter
/// that no rank used keeps the grad() it had. The module must outlive it, and stay where it is; on GPUs the
/// mean is of NCCL's bits.
template <typename M>
class DistributedDataParallel {
 public:
  explicit DistributedDataParallel(M& module, const DataParallelOptions& options = {})
      : module_(module), reducer_(std::make_unique<Reducer>(module, options)) {}

  template <typename... Inputs>
  auto operator()(Inputs&&... inputs) const {
    return forward([&](M& module) { return module(std::forward<Inputs>(inputs)...); });
  }
  /// The same for another function of the module: ddp.forward([&](GPT& gpt) { return gpt.loss(x, y); }).
  template <typename Call>
  auto forward(const Call& call) const {
    reducer_->prepare_for_forward();
    auto outputs = call(module_);
    reducer_->prepare_for_backward(tensors_of(outputs));
    return outputs;
  }

  M& module() const { return module_; }

  /// Until the end of the scope, forward passes are not followed by averaging: gradients add up on each rank,
  /// and the first backward() after a later forward pass averages their sums.
  [[nodiscard]] ScopedValue<bool> no_sync() const { return ScopedValue<bool>(reducer_->require_sync, false); }

 private:
  M& module_;
  std::unique_ptr<Reducer> reducer_;
};

}  // namespace lectern::distributed
