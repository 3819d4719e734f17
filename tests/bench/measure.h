#pragma once

#include <cstdint>
#include <functional>

#include "device/counters.h"

namespace lectern::bench {

struct Measured {
  double nanoseconds;  ///< of a call, the median
  Counters cost;       ///< of a call
};

/// Calls as often as it is told.
using Calls = std::function<void(std::int64_t calls)>;

/// As torch.utils.benchmark measures: blocks of calls, each block long enough that reading the clock costs
/// nothing, for a quarter of a second. Where tensors are made on a GPU by default, the time is its own,
/// between two events around each block.
Measured measure(const Calls& call);

/// The host's time of a call that only gives the GPU something to do: blocks of as many calls as its queue
/// takes without waiting. The queue is empty when a block begins.
Measured measure_queueing(const Calls& call);

/// From now on either calls twice and no more: whether it runs is all that is of interest.
void only_try();

}  // namespace lectern::bench
