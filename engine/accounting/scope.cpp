#include "accounting/scope.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "device/allocator.h"
#include "device/cuda.h"

namespace lectern::accounting {
namespace {

void wait_for(Device device) {
  if (device.is_cuda()) cuda::synchronize(device.index());
}

}  // namespace

Scope::Scope(Device device)
    : device_(device), outer_peak_(max_memory_by_category(device)), before_(memory_by_category(device)) {
  wait_for(device);
  reset_peak_memory_stats(device);
  start_ = std::chrono::steady_clock::now();
}

Scope::~Scope() {
  allocator(device_).raise_peak(outer_peak_);
}

RegionCost Scope::cost() const {
  const Counters counted = counters_.counted();
  const CommunicationCounters communicated = communication_counters() - communication_;
  wait_for(device_);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  return {.counters = counted,
          .communication = communicated,
          .seconds = seconds.count(),
          .before = before_,
          .now = memory_by_category(device_),
          .peak = max_memory_by_category(device_)};
}

std::string to_string(const RegionCost& cost) {
  std::string out =
      fmt::format("{:.3e} FLOPs in {:.3e} s, {:.3e} FLOP/s; {} moved\n{:<18}{:>14}{:>14}{:>14}\n",
                  static_cast<double>(cost.counters.flops), cost.seconds, cost.flops_per_second(),
                  format_bytes(cost.counters.bytes), "memory", "before", "now", "at the peak");
  const auto add = [&out](std::string_view what, std::int64_t before, std::int64_t now, std::int64_t peak) {
    out += fmt::format("{:<18}{:>14}{:>14}{:>14}\n", what, format_bytes(before), format_bytes(now),
                       format_bytes(peak));
  };
  for (std::size_t i = 0; i < kMemoryCategories.size(); ++i)
    add(kMemoryCategories[i], cost.before.bytes[i], cost.now.bytes[i], cost.peak.bytes[i]);
  add("together", cost.before.total(), cost.now.total(), cost.peak.total());
  if (const CommunicationCounters& moved = cost.communication; moved.calls > 0)
    out += fmt::format("{} collectives sent {}, received {}\n", moved.calls, format_bytes(moved.sent),
                       format_bytes(moved.received));
  return out;
}

}  // namespace lectern::accounting
