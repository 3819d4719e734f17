#pragma once

#include <optional>

#include "autograd/autocast_mode.h"
#include "tensor/tensor.h"

// How operations implement autocast (autograd/autocast_mode.h):
//
//   Tensor matmul(const Tensor& a, const Tensor& b) {
//     if (autocasts(a)) return autocast([](const auto&... in) { return matmul(in...); }, a, b);
//     …
//   }
//
// Inside, autocast is off.

namespace lectern {

/// Whether autocast chooses the dtype of products with x.
inline bool autocasts(const Tensor& x) {
  return autocast_mode()[x.device().type()].has_value();
}

/// Whether autocast computes operations that need more precision than x's dtype in float32.
inline bool autocasts_to_float32(const Tensor& x) {
  return x.is_floating_point() && x.element_size() < 4 && autocasts(x);
}

/// x in the scope's dtype, where autocast applies: not float64, integers, other devices, undefined tensors.
Tensor autocast_operand(const Tensor& x, const AutocastMode& mode);
/// x in float32, likewise.
Tensor autocast_float32(const Tensor& x, const AutocastMode& mode);

/// The compute dtype of an operation with a dtype argument.
inline std::optional<Dtype> autocast_dtype(const Tensor& x, const std::optional<Dtype>& chosen) {
  return !chosen && autocasts_to_float32(x) ? float32 : chosen;
}

template <typename Operation, typename... In>
auto autocast(const Operation& operation, const In&... in) {
  const AutocastMode mode = autocast_mode();
  const AutocastGuard off{AutocastMode()};
  return operation(autocast_operand(in, mode)...);
}

template <typename Operation, typename... In>
auto autocast_to_float32(const Operation& operation, const In&... in) {
  const AutocastMode mode = autocast_mode();
  const AutocastGuard off{AutocastMode()};
  return operation(autocast_float32(in, mode)...);
}

/// Operands of one dtype unchanged, otherwise all in float32.
template <typename Operation>
auto autocast_to_widest(const Operation& operation, const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return autocast_to_float32(operation, a, b);
  const AutocastGuard off{AutocastMode()};
  return operation(a, b);
}

}  // namespace lectern
