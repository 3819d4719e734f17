#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "record/clock.h"
#include "trace/ceilings.h"
#include "trace/memory_categories.h"

namespace lectern::record {

/// What has been spent since the program began.
struct Spent {
  Clock::Ticks ticks = 0;
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;  ///< moved

  friend Spent operator-(const Spent& a, const Spent& b) {
    return {a.ticks - b.ticks, a.flops - b.flops, a.bytes - b.bytes};
  }
  friend Spent operator+(const Spent& a, const Spent& b) {
    return {a.ticks + b.ticks, a.flops + b.flops, a.bytes + b.bytes};
  }
};

/// Memory of a device in bytes: now, and its peak since the last reading.
struct MemoryUse {
  std::string device = {};
  std::int64_t now = 0;
  std::int64_t peak = 0;
  CategoryBytes categories = {};  ///< of what is there now
};

/// How the recorder, which knows nothing of tensors, learns what each step cost. Called on the main thread.
/// The first two also in signal handlers: neither allocates nor locks.
struct CostMeter {
  /// Sets flops and bytes.
  void (*read_counters)(Spent& spent);
  /// Fills in one entry per device, as many as there is room for, and returns how many.
  std::size_t (*read_memory)(std::span<MemoryUse> uses);
  /// What the devices of a profile can do, before the first step. Never throws.
  Ceilings (*find_ceilings)(std::string_view profile);
  /// What the GPU of a profile is called; empty for that of the CPU. Never throws.
  std::string (*find_device)(std::string_view profile);
};

/// Null for a lecture without tensors. Set before files register, the first of which begins the trace.
inline constinit const CostMeter* cost_meter = nullptr;

}  // namespace lectern::record
