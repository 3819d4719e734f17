#pragma once

#include <cstdint>
#include <optional>

#include "autograd/autocast_mode.h"
#include "tensor/tensor.h"

// How operations implement autocast (autograd/autocast_mode.h), by PyTorch's policies:
//
//   lower_precision_fp           Tensor matmul(const Tensor& a, const Tensor& b) {
//                                  if (autocasts(a)) return autocast([](const auto&... in) { … }, a, b);
//   fp32                         if (autocasts_to_float32(x)) return logsumexp(x.to(float32), dims, keepdim);
//   promote                      return autocast_to_widest([](const auto&... in) { … }, a, b);
//
// Inside, autocast is off. Operations with rows in kernels/elementwise_table.h and kernels/reduction_table.h
// name their policy there.

namespace lectern {

enum class CastPolicy : std::uint8_t {
  fallthrough,         ///< computes in the operands' dtypes
  fp32,                ///< in float32
  fp32_set_opt_dtype,  ///< in float32, unless there is a dtype argument
};

/// Whether autocast chooses the dtype of products with x.
inline bool autocasts(const Tensor& x) {
  return autocast_mode()[x.device().type()].has_value();
}

/// Whether an operation that autocast runs in float32 has to convert x.
inline bool autocasts_to_float32(const Tensor& x) {
  return x.is_floating_point() && x.element_size() < 4 && autocasts(x);
}

/// x in the scope's dtype, where autocast applies: not float64, integers, other devices, undefined tensors.
Tensor autocast_operand(const Tensor& x, const AutocastMode& mode);
/// x in float32, likewise.
Tensor autocast_float32(const Tensor& x, const AutocastMode& mode);

inline bool autocasts_to_float32(CastPolicy policy, const Tensor& x) {
  return policy != CastPolicy::fallthrough && autocasts_to_float32(x);
}

/// The dtype argument of an operation, which autocast sets if there is none.
inline std::optional<Dtype> autocast_dtype(CastPolicy policy, const Tensor& x,
                                           const std::optional<Dtype>& chosen) {
  return !chosen && autocasts_to_float32(policy, x) ? float32 : chosen;
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
template <typename Operation, typename... More>
auto autocast_to_widest(const Operation& operation, const Tensor& a, const More&... more) {
  if (((a.dtype() != more.dtype()) || ...)) return autocast_to_float32(operation, a, more...);
  const AutocastGuard off{AutocastMode()};
  return operation(a, more...);
}

}  // namespace lectern
