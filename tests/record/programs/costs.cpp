// Spends what a meter counts; the argument chooses.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "hand.h"
#include "record/cost_meter.h"
#include "record/inspect.h"

namespace {

constexpr hand::Function functions[] = {hand::function("main", 1), hand::function("leaf", 2)};
constexpr hand::Site sites[] = {hand::at(0, 10), hand::at(0, 11), hand::at(0, 12), hand::at(1, 13)};
hand::Source source = hand::source("costs.cpp", functions, sites);
std::uint64_t flops = 0, bytes = 0;
std::int64_t allocated = 0, peak = 0;

void read_counters(lectern::record::Spent& spent) {
  spent.flops = flops;
  spent.bytes = bytes;
}

std::size_t read_memory(std::span<lectern::record::MemoryUse> uses) {
  uses[0] = {"cpu", allocated, peak, {allocated / 2, 0, 0, allocated / 4}};
  uses[1] = {"cuda:0", 0, 0};
  peak = allocated;
  return 2;
}

lectern::Ceilings find_ceilings(std::string_view profile) {
  return {{std::string(profile) + ":0", {{{"float32", 5e10}}, 2e10, true}}};
}

std::string find_device(std::string_view profile) {
  return "the device of " + std::string(profile);
}

constexpr lectern::record::CostMeter meter{read_counters, read_memory, find_ceilings, find_device};

/// Known before the file registers, as a lecture's is.
const bool registered = [] {
  lectern::record::cost_meter = &meter;
  return lectern::probe::add_source(source);
}();

void compute(std::uint64_t operations) {
  flops += operations;
  bytes += 2 * operations;
}

void allocate(std::int64_t amount) {
  allocated += amount;
  if (allocated > peak) peak = allocated;
}

/// A value that is computed when it is shown.
struct Costly {};
void to_value(lectern::ValueWriter& out, const Costly& /*value*/) {
  compute(1'000'000);
  allocate(1'000'000);
  allocate(-1'000'000);
  out.boolean(true);
}

int leaf() {
  hand::Frame frame(source, 1);
  frame.at(3);
  compute(100);
  return 1;
}

}  // namespace

int main(int, char** arguments) {
  const std::string_view what = arguments[1];
  hand::Frame frame(source, 0);
  frame.at(0);
  compute(7);
  allocate(64);
  allocate(1000);
  allocate(-1000);
  frame.at(1);
  frame.at(2);
  if (what == "call") {
    compute(1);
    compute(static_cast<std::uint64_t>(leaf()));
    compute(static_cast<std::uint64_t>(leaf()));
  }
  if (what == "inspect") {
    compute(1);
    frame.inspecting().show("value", Costly());
  }
  if (what == "crash") {
    compute(5);
    std::abort();
  }
}
