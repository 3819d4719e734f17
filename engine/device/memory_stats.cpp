#include "device/memory_stats.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace lectern {

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

std::string out_of_memory_message(const std::string& where, std::size_t asked, const MemoryStats& stats) {
  return fmt::format(
      "out of memory on {}: {} asked, {} allocated, {} kept by the cache", where,
      asked > INT64_MAX ? fmt::format("{} bytes", asked) : format_bytes(static_cast<std::int64_t>(asked)),
      format_bytes(stats.allocated), format_bytes(stats.reserved - stats.allocated));
}

}  // namespace lectern
