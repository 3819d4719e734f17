#pragma once

#include "amp/grad_scaler.h"
#include "distributed/process_group.h"

namespace lectern::distributed {

/// A GradScaler for ranks that have different gradients, of parts of a model, as
/// torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler: with FullyShardedDataParallel and parallel
/// linears. When one rank finds an infinity or NaN, all skip the step, and the scale stays the same on all.
///
/// All ranks of the group must call unscale_() and step() alike; the first of them for an optimizer moves one
/// float32, by all_reduce.
class ShardedGradScaler : public amp::GradScaler {
 public:
  ShardedGradScaler() : ShardedGradScaler(Options()) {}
  explicit ShardedGradScaler(const Options& options, Group process_group = nullptr)
      : GradScaler(options), group_(std::move(process_group)) {}

 protected:
  Tensor found_inf(const optim::Optimizer& optimizer, Device device) const override;

 private:
  Group group_;
};

}  // namespace lectern::distributed
