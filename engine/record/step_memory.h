#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "record/cost_meter.h"

namespace lectern::record {

/// The memory that tensors occupy during a step, by device.
class StepMemory {
 public:
  void begin_step();
  /// Takes into account what happened since the last call of any of these functions.
  void take();
  /// Ignores it.
  void skip();

  /// Calls visit(device, now, peak) for each device whose memory changed, or for all. Once per step.
  template <typename Visit>
  void report(bool all, const Visit& visit) {
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int64_t before = told_[i];
      told_[i] = uses_[i].now;
      if (all || uses_[i].now != before || peaks_[i] > before)
        visit(uses_[i].device, uses_[i].now, peaks_[i]);
    }
  }
  /// Calls visit(device, bytes by category) for each device where these changed, or for all that ever had
  /// any. Once per step.
  template <typename Visit>
  void report_categories(bool all, const Visit& visit) {
    for (std::size_t i = 0; i < count_; ++i) {
      const bool changed = uses_[i].categories != told_categories_[i];
      categorized_[i] = categorized_[i] || changed;
      if (!changed && !(all && categorized_[i])) continue;
      told_categories_[i] = uses_[i].categories;
      visit(uses_[i].device, uses_[i].categories);
    }
  }

 private:
  static constexpr std::size_t kMostDevices = 17;  // the CPU and 16 GPUs

  std::size_t count_ = 0;
  std::array<MemoryUse, kMostDevices> uses_ = {};
  std::array<std::int64_t, kMostDevices> peaks_ = {};
  std::array<std::int64_t, kMostDevices> told_ = {};
  std::array<CategoryBytes, kMostDevices> told_categories_ = {};
  std::array<bool, kMostDevices> categorized_ = {};  // whether categories were ever told
};

}  // namespace lectern::record
