#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// What steps cost.
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

/// Bytes that tensors take up on a device, in the order of CostAccount::devices, during a step.
struct DeviceMemory {
  int device = 0;
  std::int64_t now = 0, peak = 0;

  bool operator==(const DeviceMemory&) const = default;
};

/// What one step cost.
struct StepCost {
  Cost self;
  std::vector<DeviceMemory> memory = {};  ///< where there is news; elsewhere it is as before
};

/// The cost of a statement or a function over all its executions.
struct CostEntry {
  std::int64_t runs = 0;  ///< executions of the statement, calls of the function
  Cost self;              ///< without what it called
  Cost total;             ///< with it; recursive calls count once
  /// The largest peak of memory in bytes, with what it called, by device in the order of
  /// CostAccount::devices.
  std::vector<std::int64_t> peak;

  bool operator==(const CostEntry&) const = default;
};

struct CostAccount {
  Cost total;
  std::vector<std::string> devices;  ///< whose memory the trace tells
  std::vector<StepCost> steps;       ///< by number
  std::vector<CostEntry> sites;      ///< by number
  std::vector<CostEntry> functions;  ///< by number

  /// Whether the trace tells of any cost: those that are accepted, or come from elsewhere, do not.
  bool empty() const { return total == Cost() && devices.empty(); }
};

/// Adds up what the steps of a trace cost, in one pass.
CostAccount cost_account(const Trace& trace);

}  // namespace lectern
