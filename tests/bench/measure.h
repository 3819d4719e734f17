#pragma once

#include <cstdint>
#include <functional>

#include "device/counters.h"

namespace lectern::bench {

struct Measured {
  double nanoseconds;  ///< of a call, the median
  Counters cost;       ///< of a call
};

/// As torch.utils.benchmark measures: blocks of calls, each block long enough that reading the clock costs
/// nothing, for a quarter of a second. `call` calls as often as it is told. Where tensors are made on a GPU
/// by default, the time is its own, between two events around each block.
Measured measure(const std::function<void(std::int64_t calls)>& call);

}  // namespace lectern::bench
