#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "checkpoint/shard.h"
#include "distributed/process_group.h"
#include "optim/optimizer.h"

namespace lectern::distributed {

/// An optimizer whose state is divided among the ranks (Rajbhandari et al. 2020, "ZeRO", stage 1): each keeps
/// the state of its share of all elements, updates these, and sends them to the others. After
/// DistributedDataParallel, whose gradients are the same on all ranks:
///
///   ZeroRedundancyOptimizer optimizer(model.parameters(), [](const optim::Params& share) {
///     return std::make_unique<optim::AdamW>(share, optim::AdamWOptions{.lr = 1e-3});
///   });
///
/// The shares are equal, ceil(elements / ranks), and divide parameters where need be, so that a rank keeps
/// what accounting::training_memory() says of ZeroStage::optimizer, and the count of steps of each parameter
/// that it has a part of. Parameters get the bits that they would get from the whole optimizer. A step moves
/// as much as an all-gather of the parameters.
///
/// Options of param_groups() are passed on before each step, so schedulers and GradScaler work as with any
/// other. A TensorError when the optimizer does not update each element by itself: SGD, Adagrad, RMSprop,
/// Adam and AdamW do. Parameters must stay where they are.
class ZeroRedundancyOptimizer : public optim::Optimizer {
 public:
  /// Makes the optimizer of a share.
  using Make = std::function<std::unique_ptr<optim::Optimizer>(const optim::Params& share)>;

  ZeroRedundancyOptimizer(const optim::Params& params, const Make& make, const Group& group = nullptr);
  ~ZeroRedundancyOptimizer() override;

  void step() override;
  void step(const optim::GradScale& scale) override;

  /// Collects the state on rank `to`, where state_dict() then is that of the whole optimizer, until the next
  /// step. To be called by all ranks of the group.
  void consolidate_state_dict(int to = 0);
  /// Takes this rank's share of the whole optimizer's state, from any number of ranks. To be called by all.
  void load_state_dict(const StateDict& saved) override;

  /// What this rank has of it, for save_sharded() (distributed/sharded_checkpoint.h). A TensorError unless
  /// parameters are contiguous.
  ShardedStateDict sharded_state_dict() const;

  /// That of this rank's share, as pieces of parameters, one-dimensional.
  const optim::Optimizer& local_optimizer() const;

 private:
  struct Shares;
  ZeroRedundancyOptimizer(const optim::Params& params, std::unique_ptr<Shares> shares);
  void update(const std::function<void()>& step);

  std::unique_ptr<Shares> shares_;
};

}  // namespace lectern::distributed
