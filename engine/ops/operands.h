#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "device/counters.h"
#include "kernels/elementwise.h"
#include "ops/devices.h"
#include "tensor/array.h"
#include "tensor/layout.h"
#include "tensor/scalar_element.h"
#include "tensor/tensor.h"

// Common to elementwise operations: operands, which may be scalars, the device and layout of the result, and
// checks of in-place writes.

namespace lectern {

inline void promote(ResultType& result, const Tensor& a) {
  result.tensor(a.dtype(), a.dim());
}
inline void promote(ResultType& result, const Scalar& a) {
  result.scalar(a.dtype());
}

/// The dtype that tensors and scalars promote to.
template <typename... In>
Dtype promoted_dtype(const In&... in) {
  ResultType promoted;
  (promote(promoted, in), ...);
  return promoted.dtype();
}

/// Whether a tensor can be an operand on another device, as a scalar.
inline bool is_scalar(const Tensor& tensor) {
  return tensor.dim() == 0 && tensor.device().is_cpu();
}

/// The tensor that an operand is; null of a scalar.
inline const Tensor* operand_tensor(const Tensor& tensor) {
  return &tensor;
}
inline const Tensor* operand_tensor(const Scalar&) {
  return nullptr;
}

/// The device to compute on. Of tensors on two devices one must be a scalar.
Device common_device(std::string_view operation, const Tensor& a, const Tensor& b);

/// An input of an operation, expanded to the shape of the result: a tensor, or a scalar repeated as one
/// element of the common dtype.
class Operand {
 public:
  Operand(const Tensor& tensor, Dtype common, const Sizes& sizes, Device device);
  Operand(const Scalar& scalar, Dtype common, const Sizes& sizes, Device device);
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  /// Whether its elements are in the order of a contiguous result.
  bool contiguous() const { return contiguous_; }
  const kernels::Array& array() const { return array_; }
  std::int64_t nbytes() const { return nbytes_; }

 private:
  static constexpr std::int64_t kRepeated[kMaxDims] = {};

  std::optional<ScalarElement> scalar_;
  std::optional<Sizes> strides_;
  kernels::Array array_;
  std::int64_t nbytes_ = 0;
  bool contiguous_ = true;
};

/// An out-of-place result, in the layout of its operands.
template <typename... In>
Tensor empty_result(std::string_view operation, Dtype dtype, const Sizes& sizes, Device device,
                    const In&... in) {
  if ((in.contiguous() && ...))
    return empty_dense(operation, dtype, device, sizes, contiguous_strides(sizes));
  const std::int64_t* const strides[] = {in.array().strides...};
  return empty_dense(operation, dtype, device, sizes, result_strides(sizes, strides));
}

/// Counts one floating-point operation per element of `out`, and the bytes; for no elements nothing is read.
template <typename... In>
void count_elementwise(const Tensor& out, const In&... in) {
  if (out.numel() > 0) count(out.numel(), out.nbytes() + (in.nbytes() + ...));
}

/// A TensorError unless a result of dtype `result` may be written into `self`.
void check_in_place(std::string_view operation, Dtype result, const Tensor& self);

/// `other` as an operand of an in-place write to `self`: a copy where they overlap in memory. A TensorError
/// unless it fits.
Tensor fitting(std::string_view operation, const Tensor& self, const Tensor& other);
inline const Scalar& fitting(std::string_view, const Tensor&, const Scalar& other) {
  return other;
}

}  // namespace lectern
