#include "device/memory.h"

#include <fmt/format.h>

#include "device/allocator.h"

namespace lectern {
namespace {

std::string row(const char* what, std::int64_t now, std::int64_t peak) {
  return fmt::format("{:<18}{:>14}{:>14}\n", what, format_bytes(now), format_bytes(peak));
}

}  // namespace

std::int64_t memory_allocated(Device device) {
  return allocator(device).stats().allocated;
}
std::int64_t max_memory_allocated(Device device) {
  return allocator(device).stats().max_allocated;
}
std::int64_t memory_reserved(Device device) {
  return allocator(device).stats().reserved;
}
std::int64_t max_memory_reserved(Device device) {
  return allocator(device).stats().max_reserved;
}
void reset_peak_memory_stats(Device device) {
  allocator(device).reset_peak();
}
void empty_cache(Device device) {
  allocator(device).empty_cache();
}

std::string memory_summary(Device device) {
  const MemoryStats stats = allocator(device).stats();
  return fmt::format("{:<18}{:>14}{:>14}\n", "memory on " + device.name(), "now", "at most") +
         row("allocated", stats.allocated, stats.max_allocated) +
         row("reserved", stats.reserved, stats.max_reserved);
}

}  // namespace lectern
