#include "device/memory.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "device/allocator.h"
#include "device/context.h"
#include "device/cpu_allocator.h"

namespace lectern {
namespace {

std::string row(std::string_view what, std::int64_t now, std::int64_t peak) {
  return fmt::format("{:<18}{:>14}{:>14}\n", what, format_bytes(now), format_bytes(peak));
}

}  // namespace

Allocator& allocator(Device device) {
  if (device.is_cpu()) return cpu_allocator();
  return cuda::context().allocator(device.index());
}

void Allocator::throw_out_of_memory(const std::string& device, std::size_t requested) const {
  const std::string size = requested > INT64_MAX ? fmt::format("{} bytes", requested)
                                                 : format_bytes(static_cast<std::int64_t>(requested));
  const auto [allocated, max_allocated, reserved, max_reserved] = stats();
  throw TensorError("allocate",
                    fmt::format("out of memory on {}: {} requested, {} allocated, {} cached", device, size,
                                format_bytes(allocated), format_bytes(reserved - allocated)));
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return fmt::format("{:.2f} {}", amount, kUnits[unit]);
}

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
MemoryByCategory memory_by_category(Device device) {
  return allocator(device).by_category();
}
MemoryByCategory max_memory_by_category(Device device) {
  return allocator(device).by_category_at_peak();
}
void empty_cache(Device device) {
  allocator(device).empty_cache();
}

std::size_t take_memory_laps(std::span<MemoryLap> laps) {
  const cuda::Context* const gpus = cuda::started_context();
  const std::size_t devices = 1 + (gpus == nullptr ? 0 : static_cast<std::size_t>(gpus->device_count()));
  const std::size_t count = std::min(devices, laps.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Device device = i == 0 ? cpu : Device(Device::Type::cuda, static_cast<int>(i) - 1);
    Allocator& memory = allocator(device);
    const std::int64_t peak = memory.take_lap();
    laps[i] = {device, memory.stats().allocated, peak, memory.by_category()};
  }
  return count;
}

std::string memory_summary(Device device) {
  const MemoryStats stats = allocator(device).stats();
  const MemoryByCategory now = memory_by_category(device), peak = max_memory_by_category(device);
  std::string table = fmt::format("{:<18}{:>14}{:>14}\n", "memory on " + device.name(), "now", "at most") +
                      row("allocated", stats.allocated, stats.max_allocated);
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i)
    table += row(fmt::format("  {}", kMemoryCategories[i]), now.bytes[i], peak.bytes[i]);
  return table + row("reserved", stats.reserved, stats.max_reserved);
}

}  // namespace lectern
