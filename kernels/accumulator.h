#pragma once

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
  LECTERN_HD T value() const { return convert_number<T>(static_cast<Compute<T>>(sum_)); }

 private:
  LECTERN_HD static wrapping<Compute<T>> wide(T value) {
    return static_cast<wrapping<Compute<T>>>(convert_number<Compute<T>>(value));
  }

  wrapping<Compute<T>> sum_;
};

}  // namespace lectern::kernels
