#pragma once

#include <concepts>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"

// The bits of integers. A shift by a negative number, or by more than there are bits, leaves none.

namespace lectern::kernels {

/// Of integers; of bool see LogicalNot.
struct BitwiseNot : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T x) const {
    return ~x;
  }
};

struct BitwiseAnd : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    return a & b;
  }
};

struct BitwiseOr : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    return a | b;
  }
};

struct BitwiseXor : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    return a ^ b;
  }
};

struct BitwiseLeftShift : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    return b < 0 || b > 63 ? 0 : static_cast<T>(static_cast<wrapping<T>>(a) << b);
  }
};

/// Fills with the sign.
struct BitwiseRightShift : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    const T sign = a < 0 ? -1 : 0;
    return b < 0 || b > 63 ? sign : a >> b;
  }
};

}  // namespace lectern::kernels
