#pragma once

#include <cstdint>
#include <string>

#include "device/device.h"

namespace lectern {

/// Bytes of all living tensors on a device, as they were asked for: 4,096 for a tensor of 1,024 floats. Of
/// all threads.
std::int64_t memory_allocated(Device device = cpu);
/// The most since the program began or since the last reset_peak_memory_stats.
std::int64_t max_memory_allocated(Device device = cpu);
/// Bytes that were taken from the device: tensors, rounded up, and what is kept for later ones.
std::int64_t memory_reserved(Device device = cpu);
std::int64_t max_memory_reserved(Device device = cpu);
void reset_peak_memory_stats(Device device = cpu);
/// Gives what is kept for later tensors back to the device.
void empty_cache(Device device = cpu);
/// The four numbers as a table, for reading.
std::string memory_summary(Device device = cpu);

}  // namespace lectern
