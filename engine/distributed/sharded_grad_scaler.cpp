#include "distributed/sharded_grad_scaler.h"

#include "distributed/collectives.h"

namespace lectern::distributed {

Tensor ShardedGradScaler::found_inf(const optim::Optimizer& optimizer, Device device) const {
  const Tensor found = GradScaler::found_inf(optimizer, device);
  all_reduce(found, ReduceOp::max, {.group = group_});
  return found;
}

}  // namespace lectern::distributed
