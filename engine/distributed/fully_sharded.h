#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/sharded_checkpoint.h"
#include "distributed/data_parallel.h"
#include "nn/module.h"
#include "optim/optimizer.h"

namespace lectern::distributed {

/// What is divided besides the optimizer's state and the gradients, with PyTorch's names.
enum class ShardingStrategy {
  full_shard,     ///< parameters (ZeRO's stage 3)
  shard_grad_op,  ///< nothing: parameters stay whole on each rank (stage 2)
};

/// Whether a module's parameters are gathered and freed on their own.
using WrapPolicy = std::function<bool(const nn::Module& module)>;

/// Modules of these classes: module_wrap_policy<nn::TransformerBlock>().
template <typename... Classes>
WrapPolicy module_wrap_policy() {
  return [](const nn::Module& module) { return ((dynamic_cast<const Classes*>(&module) != nullptr) || ...); };
}

/// Of FullyShardedDataParallel.
struct FullyShardedOptions {
  Group process_group = nullptr;  ///< all ranks
  ShardingStrategy sharding_strategy = ShardingStrategy::full_shard;
  /// The submodules that are units of their own; their operator() must run hooks (nn/module.h), as that of
  /// all layers here does. The rest of the module is one more unit, gathered from the beginning of a forward
  /// pass to the end of its backward pass.
  WrapPolicy auto_wrap_policy = nullptr;
};

/// What FullyShardedDataParallel does for a module of any class.
class FullySharded {
 public:
  FullySharded(nn::Module& module, const FullyShardedOptions& options);
  ~FullySharded();
  FullySharded(const FullySharded&) = delete;
  FullySharded& operator=(const FullySharded&) = delete;

  void begin_forward() const;
  void end_forward(const std::vector<Tensor>& outputs) const;

  nn::Module::Named<Tensor> named_parameters() const;
  Tensor clip_grad_norm_(double max_norm, double norm_type) const;
  StateDict state_dict() const;
  void load_state_dict(const StateDict& state) const;
  ShardedStateDict sharded_state_dict() const;
  ShardedStateDict optimizer_state_dict(const optim::Optimizer& optimizer) const;
  void load_optimizer_state_dict(optim::Optimizer& optimizer, const ShardedCheckpoint& checkpoint,
                                 const std::string& part) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A module that is trained on a part of the batch by each rank, as by DistributedDataParallel, but of whose
/// parameters, gradients and optimizer's state each keeps one n-th (Rajbhandari et al. 2020, "ZeRO"; Zhao et
/// al. 2023, "PyTorch FSDP"): as torch.distributed.fsdp.FullyShardedDataParallel.
///
///   distributed::FullyShardedDataParallel fsdp(
///       gpt, {.auto_wrap_policy = distributed::module_wrap_policy<nn::TransformerBlock>()});
///   optim::AdamW optimizer(fsdp.parameters());  // not gpt.parameters(): their gradients are in the pieces
///   fsdp.forward([&](const nn::GPT& model) { return model.loss(x, y); }).backward();
///   fsdp.clip_grad_norm_(1);
///   optimizer.step();
///
/// A unit's parameters become one array of P elements, divided into n shares of ceil(P / n). Before the unit
/// runs, and again before its backward pass, they are all-gathered; afterwards they are freed, though graphs
/// refer to them. When a unit's last gradient is computed, its gradients are reduce-scattered, while the next
/// unit's are computed, and freed. parameters() are this rank's pieces of the module's parameters: they have
/// their names, one dimension, and where a rank has no part of one, no elements.
///
/// Gradients are the bits of one process that adds up the gradients of all ranks' parts in the order of ranks
/// and divides by n. Another backward() adds to them. A parameter that a unit did not use has a gradient of
/// 0. Optimizers must update each element by itself: SGD, Adagrad, RMSprop, Adam, AdamW and their like.
/// The loss is scaled by a ShardedGradScaler (distributed/sharded_grad_scaler.h): with amp::GradScaler each
/// rank would skip steps of its own.
///
/// Memory per rank, of the units' sums of shares S: 4 S bytes of float32 parameters (of shard_grad_op, 4 n
/// S), 4 S of gradients, 8 S of Adam's state, as accounting::training_memory() says of ZeroStage::parameters
/// and gradients. At most the root's and one other unit's parameters are gathered at a time
/// (accounting::fully_sharded_parameter_bytes()), and two units' gradients, and one parameter's, are there
/// besides. Communication per step is that of accounting::data_parallel_bytes(): all-gather of parameters
/// twice (of shard_grad_op, and of the root, once), reduce-scatter of gradients once.
///
/// The module must outlive it, and stay where it is; afterwards its parameters have no elements. Parameters
/// that require no gradient, and buffers, stay whole; all become rank 0's. TensorErrors: ranks' parameters
/// that differ, dtypes that differ within a unit, a parameter that modules of two units share; later, reading
/// parameters that are not gathered, and changing the pieces between a forward and its backward pass.
template <typename M>
class FullyShardedDataParallel {
 public:
  explicit FullyShardedDataParallel(M& module, const FullyShardedOptions& options = {})
      : module_(module), sharded_(module, options) {}

  template <typename... Inputs>
  auto operator()(Inputs&&... inputs) const {
    return forward([&](M& module) { return module(std::forward<Inputs>(inputs)...); });
  }
  /// The same for another function of the module.
  template <typename Call>
  auto forward(const Call& call) const {
    sharded_.begin_forward();
    auto outputs = call(module_);
    sharded_.end_forward(tensors_of(outputs));
    return outputs;
  }

  M& module() const { return module_; }

  /// This rank's pieces, for optimizers; the same number, with the same names, on all ranks.
  std::vector<Tensor> parameters() const {
    std::vector<Tensor> pieces;
    for (const auto& [name, piece] : named_parameters()) pieces.push_back(piece);
    return pieces;
  }
  nn::Module::Named<Tensor> named_parameters() const { return sharded_.named_parameters(); }

  /// Scales the gradients so that the norm of all ranks' together is at most max_norm; returns the norm
  /// before. To be called by all ranks, as what follows; one all_reduce of a number.
  Tensor clip_grad_norm_(double max_norm, double norm_type = 2) const {
    return sharded_.clip_grad_norm_(max_norm, norm_type);
  }

  /// The whole module's state, on every rank: copies.
  StateDict state_dict() const { return sharded_.state_dict(); }
  /// Takes this rank's share of the whole module's state. Errors as nn::Module's.
  void load_state_dict(const StateDict& state) const { sharded_.load_state_dict(state); }

  /// What this rank has of it, for save_sharded() and load_sharded() (distributed/sharded_checkpoint.h).
  ShardedStateDict sharded_state_dict() const { return sharded_.sharded_state_dict(); }
  /// The same of an optimizer of parameters(), all of them in this order: the names are those that an
  /// optimizer of module().parameters() has in one process.
  ShardedStateDict optimizer_state_dict(const optim::Optimizer& optimizer) const {
    return sharded_.optimizer_state_dict(optimizer);
  }
  /// Takes this rank's share, whatever the number of ranks that saved it.
  void load_optimizer_state_dict(optim::Optimizer& optimizer, const ShardedCheckpoint& checkpoint,
                                 const std::string& part = "optimizer") const {
    sharded_.load_optimizer_state_dict(optimizer, checkpoint, part);
  }

 private:
  M& module_;
  FullySharded sharded_;
};

}  // namespace lectern::distributed
