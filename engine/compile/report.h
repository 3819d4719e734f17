#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compile/plan.h"
#include "kernels/kernel.h"

namespace lectern::fusion {

/// Notes what a compiled function fuses, and what runs at once and why, in the order of the run.
class Report final : public kernels::KernelObserver {
 public:
  void add_eager(std::string_view operation, std::string_view why);
  void begin_pass(std::string_view why);
  void add_pass(const Cone& cone, const PlannedPass& pass);
  void on_kernel(std::string_view operation) override;

  void begin_section(std::string_view title);
  std::string text() const;

 private:
  std::vector<std::string> lines_;
  std::string why_;  ///< of the next pass
  std::string refused_;
  std::unordered_set<std::uint64_t> counted_;  ///< expressions: eagerly none is computed again
  std::int64_t passes_ = 0, fused_bytes_ = 0, eager_bytes_ = 0;
};

}  // namespace lectern::fusion
