#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/convert_number.h"

namespace lectern::kernels {

/// A sum of values of type T, in the compute type; integers wrap around.
template <typename T>
class Accumulator {
 public:
  Accumulator() = default;
  LECTERN_HD explicit Accumulator(T start) : sum_(wide(start)) {}

  LECTERN_HD void add(T term) { sum_ += wide(term); }
  /// Rounded once.
  LECTERN_HD T value() const { return convert_number<T>(static_cast<Computed>(sum_)); }

 private:
  using Computed = std::conditional_t<std::is_integral_v<T>, std::int64_t,
                                      std::conditional_t<std::is_same_v<T, double>, double, float>>;

  LECTERN_HD static wrapping<Computed> wide(T value) {
    return static_cast<wrapping<Computed>>(convert_number<Computed>(value));
  }

  wrapping<Computed> sum_;
};

}  // namespace lectern::kernels
