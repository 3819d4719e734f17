#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "device/device.h"
#include "device/memory_category.h"

namespace lectern {

/// Bytes of all live tensors on a device, as requested: 4,096 for a tensor of 1,024 floats. Of all threads.
std::int64_t memory_allocated(Device device = cpu);
/// The peak since the program began or since the last reset_peak_memory_stats.
std::int64_t max_memory_allocated(Device device = cpu);
/// Bytes obtained from the device: tensors, rounded up, and the cache.
std::int64_t memory_reserved(Device device = cpu);
std::int64_t max_memory_reserved(Device device = cpu);
void reset_peak_memory_stats(Device device = cpu);
/// The bytes of live tensors by what they serve, now and at the peak.
MemoryByCategory memory_by_category(Device device = cpu);
MemoryByCategory max_memory_by_category(Device device = cpu);
/// Returns cached memory to the device.
void empty_cache(Device device = cpu);
/// Allocated and reserved bytes as a table, for people, with the categories.
std::string memory_summary(Device device = cpu);

/// For recording a program step by step: bytes of live tensors now, and the peak since the last call.
struct MemoryLap {
  Device device;
  std::int64_t allocated;
  std::int64_t peak;
  MemoryByCategory categories;  ///< of what is allocated
};
/// Fills in a lap for each device in use so far, as many as there is room for, and returns how many.
/// max_memory_allocated stays as it is.
std::size_t take_memory_laps(std::span<MemoryLap> laps);

/// "1.50 GiB", "12 bytes".
std::string format_bytes(std::int64_t bytes);

}  // namespace lectern
