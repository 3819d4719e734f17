#pragma once

#include <chrono>
#include <string>

#include "device/communication.h"
#include "device/counters.h"
#include "device/device.h"
#include "device/memory.h"

namespace lectern::accounting {

/// What a region of a program cost on a device.
struct RegionCost {
  Counters counters;                    ///< of the calling thread's operations
  CommunicationCounters communication;  ///< of the calling thread's collectives
  double seconds = 0;                   ///< of wall-clock time, work on the device included
  MemoryByCategory before;              ///< live tensors when the region began
  MemoryByCategory now;
  MemoryByCategory peak;  ///< what was alive when most was

  /// FLOP/s and bytes/s; 0 for a region that took no time.
  double flops_per_second() const { return seconds > 0 ? static_cast<double>(counters.flops) / seconds : 0; }
  double bytes_per_second() const { return seconds > 0 ? static_cast<double>(counters.bytes) / seconds : 0; }
};

/// Counts a region: from its construction to its end. Scopes nest; on one device, one inside the other.
/// Within a scope max_memory_allocated is the peak since it began; after it, the peak of before counts again.
///
///     const accounting::Scope scope;
///     loss_of(model, batch).backward();
///     const accounting::RegionCost cost = scope.cost();
///     cost.peak[MemoryCategory::activation];
class Scope {
 public:
  explicit Scope(Device device = cpu);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  /// Up to now; waits for the device.
  RegionCost cost() const;

 private:
  Device device_;
  MemoryByCategory outer_peak_, before_;
  CountScope counters_;
  CommunicationCounters communication_ = communication_counters();
  std::chrono::steady_clock::time_point start_;
};

/// A table for people: operations, time, rates, and memory by category.
std::string to_string(const RegionCost& cost);

}  // namespace lectern::accounting
