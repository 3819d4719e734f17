#include "lecture/tensor_meter.h"

#include <algorithm>
#include <array>

#include "device/counters.h"
#include "device/memory.h"
#include "distributed/observer.h"
#include "lecture/find_ceilings.h"
#include "record/cost_meter.h"
#include "record/recorder.h"
#include "trace/encode.h"
#include "trace/step_details.h"

namespace lectern::record {
namespace {

static_assert(kMemoryCategories == kTracedCategories, "the stack's categories are those of the trace format");

constexpr std::size_t kMostDevices = 17;  // the CPU and 16 GPUs

void read_counters(Spent& spent) {
  const Counters counted = counters();
  spent.flops = static_cast<std::uint64_t>(counted.flops);
  spent.bytes = static_cast<std::uint64_t>(counted.bytes);
}

std::size_t read_memory(std::span<MemoryUse> uses) {
  std::array<MemoryLap, kMostDevices> laps{};
  const std::size_t count = take_memory_laps(std::span(laps).first(std::min(uses.size(), laps.size())));
  for (std::size_t i = 0; i < count; ++i) {
    uses[i].now = laps[i].allocated;
    uses[i].peak = laps[i].peak;
    std::copy_n(laps[i].categories.bytes.begin(), uses[i].categories.size(), uses[i].categories.begin());
    if (uses[i].device.empty()) uses[i].device = laps[i].device.name();  // short enough to need no memory
  }
  return count;
}

constexpr CostMeter kMeter{read_counters, read_memory, find_ceilings, find_device};

void record_collective(const distributed::CollectiveCall& call) {
  if (!recording()) return;
  Collective collective{.name = std::string(call.name),
                        .group = static_cast<std::int64_t>(call.group),
                        .sequence = static_cast<std::int64_t>(call.sequence),
                        .sent = call.sent,
                        .received = call.received};
  if (call.from >= 0) collective.from = call.from;
  if (call.to >= 0) collective.to = call.to;
  collective.tag = call.tag;
  add_collective(to_json(collective));
}

// Before the initialisation of globals, with which files register.
[[gnu::constructor(1000)]] void set_cost_meter() {
  cost_meter = &kMeter;
  distributed::collective_observer = &record_collective;
}

}  // namespace

bool meter_tensors() {
  return cost_meter == &kMeter;
}

}  // namespace lectern::record
