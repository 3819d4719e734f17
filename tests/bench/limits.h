#pragma once

#include <cstdint>
#include <string_view>

#include "device/counters.h"

namespace lectern::bench {

/// What of a GPU computes: float32 numbers each by itself, or the tensor cores in products of matrices.
enum class Unit : std::uint8_t { float32, tf32, bits16 };

/// What sets the limit of a case on a GPU.
enum class Bound : std::uint8_t {
  memory_and_arithmetic,  ///< whichever of its bytes and its operations takes longer
  arithmetic,             ///< its operations: of many steps, of which another way needs fewer bytes
  elsewhere,              ///< the host, or the way to it: nothing that is counted
};

struct Limit {
  double nanoseconds;  ///< 0: none is known
  const char* by;      ///< "memory", "arithmetic" or ""
  const char* gpu;     ///< which one's: "H100" or "H200"
};

/// The least time in which this GPU, by its name, can do what was counted; of another than these, an H200.
Limit limit_of(const Counters& cost, Unit unit, Bound bound, std::string_view name);

}  // namespace lectern::bench
