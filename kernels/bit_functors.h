#pragma once

#include <concepts>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"

// Bitwise operations on integers. Shifts by a negative count or beyond the width leave no bits.

namespace lectern::kernels {

/// For integers; bool has LogicalNot.
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

/// Arithmetic shift.
struct BitwiseRightShift : NotDifferentiable {
  template <std::same_as<std::int64_t> T>
  LECTERN_HD T operator()(T a, T b) const {
    const T sign = a < 0 ? -1 : 0;
    return b < 0 || b > 63 ? sign : a >> b;
  }
};

}  // namespace lectern::kernels
