#pragma once

#include <cstdint>
#include <string_view>

#include "base/dtype.h"
#include "kernels/elementwise.h"
#include "kernels/reductions.h"

namespace lectern::kernels {

/// An operation of a fused program: a row of kernels/elementwise_table.h or its gradient, a conversion, or a
/// reduction.
struct FusedOperation {
  enum class Kind : std::uint8_t {
    unary,
    binary,
    ternary,
    unary_gradient,
    binary_gradient,
    convert,
    reduction
  };

  Kind kind;
  std::uint8_t code = 0;   ///< the enumerator of Unary, Binary, Ternary or Reduction
  Side side = Side::a;     ///< of a binary gradient
  Dtype common = float32;  ///< in which it is computed
  Dtype result = float32;

  FusedOperation(Unary operation, Dtype computed, Dtype given)
      : kind(Kind::unary), code(static_cast<std::uint8_t>(operation)), common(computed), result(given) {}
  FusedOperation(Binary operation, Dtype computed, Dtype given)
      : kind(Kind::binary), code(static_cast<std::uint8_t>(operation)), common(computed), result(given) {}
  FusedOperation(Ternary operation, Dtype computed, Dtype given)
      : kind(Kind::ternary), code(static_cast<std::uint8_t>(operation)), common(computed), result(given) {}
  FusedOperation(Reduction operation, Dtype computed, Dtype given)
      : kind(Kind::reduction), code(static_cast<std::uint8_t>(operation)), common(computed), result(given) {}
  /// A conversion.
  explicit FusedOperation(Dtype to) : kind(Kind::convert), common(to), result(to) {}
  static FusedOperation gradient(Unary operation, Dtype dtype);
  static FusedOperation gradient(Binary operation, Side operand_side, Dtype dtype);

  /// "mul", "tanh_backward"; that of a gradient lives as long as the program.
  std::string_view name() const;

  friend bool operator==(const FusedOperation&, const FusedOperation&) = default;
};

}  // namespace lectern::kernels
