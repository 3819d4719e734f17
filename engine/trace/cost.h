#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/memory_categories.h"
#include "trace/trace.h"

namespace lectern {

/// The cost of steps.
struct Cost {
  std::int64_t ns = 0;  ///< wall time
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;  ///< moved

  Cost& operator+=(const Cost& other) {
    ns += other.ns;
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
  bool operator==(const Cost&) const = default;
};

/// 0 where either is unknown.
double flops_per_second(const Cost& cost);

/// Bytes that tensors occupy on a device during a step, in the order of CostAccount::devices.
struct DeviceMemory {
  int device = 0;
  std::int64_t now = 0, peak = 0;

  bool operator==(const DeviceMemory&) const = default;
};

/// What the memory of a device serves after a step.
struct DeviceCategories {
  int device = 0;
  CategoryBytes bytes = {};

  bool operator==(const DeviceCategories&) const = default;
};

/// The cost of one step.
struct StepCost {
  Cost self;
  std::vector<DeviceMemory> memory = {};          ///< where it changed
  std::vector<DeviceCategories> categories = {};  ///< likewise
};

/// The cost of a statement or a function over all its executions.
struct CostEntry {
  std::int64_t runs = 0;  ///< executions of the statement, calls of the function
  Cost self;              ///< excluding what it called
  Cost total;             ///< including it; recursive calls count once
  /// The largest peak of memory in bytes, with what it called, by device in the order of
  /// CostAccount::devices.
  std::vector<std::int64_t> peak;

  bool operator==(const CostEntry&) const = default;
};

struct CostAccount {
  Cost total;
  std::vector<std::string> devices;  ///< whose memory the trace records
  std::vector<StepCost> steps;       ///< by number
  std::vector<CostEntry> sites;      ///< by number
  std::vector<Cost> line_totals;     ///< by site: of its total, what runs in no other site of its line
  std::vector<CostEntry> functions;  ///< by number

  /// Whether the trace records any cost: accepted traces, and imported ones, do not.
  bool empty() const { return total == Cost() && devices.empty(); }
};

/// Adds up what the steps of a trace cost, in one pass.
CostAccount cost_account(const Trace& trace);

}  // namespace lectern
