#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "device/device.h"
#include "tensor/tensor.h"

namespace lectern {

/// What autocast turns operands into on each type of device; empty where it is off.
class AutocastMode {
 public:
  const std::optional<Dtype>& operator[](Device::Type type) const { return dtypes_[index(type)]; }
  std::optional<Dtype>& operator[](Device::Type type) { return dtypes_[index(type)]; }

 private:
  static constexpr std::size_t index(Device::Type type) { return type == Device::Type::cpu ? 0 : 1; }

  std::array<std::optional<Dtype>, 2> dtypes_;
};

namespace detail {
extern constinit thread_local AutocastMode autocast_mode;
}

/// This thread's; everything is off at first.
inline const AutocastMode& autocast_mode() {
  return detail::autocast_mode;
}

/// Mixed precision, as PyTorch's torch.autocast. Until the end of the scope, operations of this thread on a
/// device of that type choose their dtype: matrix products (matmul, mm, bmm, linear, addmm, einsum,
/// attention) turn their operands into `dtype`; what loses too many digits in it (exp, log, pow, reciprocal,
/// a number divided by a tensor, rsqrt, acos, asin, cosh, sinh, tan, erfinv, expm1, log10, log1p, log2,
/// softplus, softmax, log_softmax, logsumexp, norms, sum, prod, cumsum, losses) computes float16 and bfloat16
/// in float32; all others go by their operands. These are PyTorch's lists for CUDA; float64 stays as it is,
/// and in-place operations do.
///
///   Tensor loss;
///   {
///     const AutocastGuard autocast("cuda", bfloat16);
///     loss = cross_entropy(model(inputs), targets);
///   }
///   loss.backward();
///
/// A leaf that requires a gradient is converted once, until the outermost scope ends or it is changed.
/// backward() computes in the dtypes of forward, inside of a scope too.
class AutocastGuard {
 public:
  /// A TensorError unless the dtype is float16 or bfloat16.
  explicit AutocastGuard(Device device, Dtype dtype = bfloat16, bool enabled = true);
  /// As it was elsewhere.
  explicit AutocastGuard(const AutocastMode& mode);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  AutocastMode before_;
};

namespace autograd {

/// The conversion of a leaf in the scopes that last; undefined when there is none, or the leaf was changed.
Tensor known_cast(const Tensor& leaf, Dtype dtype);
void remember_cast(const Tensor& leaf, const Tensor& cast);

}  // namespace autograd
}  // namespace lectern
