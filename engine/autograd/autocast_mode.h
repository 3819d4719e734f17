#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/scoped_value.h"
#include "device/device.h"
#include "tensor/tensor.h"

namespace lectern {

/// The dtype that autocast casts operands to, per device type; empty where it is off.
class AutocastMode {
 public:
  const std::optional<Dtype>& operator[](Device::Type type) const { return dtypes_[index(type)]; }
  std::optional<Dtype>& operator[](Device::Type type) { return dtypes_[index(type)]; }

 private:
  static constexpr std::size_t index(Device::Type type) { return type == Device::Type::cpu ? 0 : 1; }

  std::array<std::optional<Dtype>, 2> dtypes_;
};

namespace detail {
inline constinit thread_local AutocastMode autocast_mode;
}

/// This thread's mode; initially off everywhere.
inline const AutocastMode& autocast_mode() {
  return detail::autocast_mode;
}

/// Mixed precision, as PyTorch's torch.autocast. Until the end of the scope, operations of this thread on
/// that device type choose their dtype: matrix products (matmul, mm, bmm, linear, addmm, einsum, attention)
/// cast their operands to `dtype`; operations that need more precision (exp, log, pow, reciprocal, a scalar
/// divided by a tensor, rsqrt, acos, asin, cosh, sinh, tan, erfinv, expm1, log10, log1p, log2, softplus,
/// softmax, log_softmax, logsumexp, norms, sum, prod, cumsum, cumprod, losses) compute float16 and bfloat16
/// in float32; all others follow their operands. These are PyTorch's lists for CUDA; float64 and in-place
/// operations are unaffected.
///
///   Tensor loss;
///   {
///     const AutocastGuard autocast("cuda", bfloat16);
///     loss = cross_entropy(model(inputs), targets);
///   }
///   loss.backward();
///
/// The cast of a leaf that requires a gradient is cached until the outermost scope ends or the leaf changes;
/// in a CUDA graph until its capture ends. backward() computes in the dtypes of forward, inside a scope too.
class AutocastGuard {
 public:
  /// A TensorError unless the dtype is float16 or bfloat16.
  explicit AutocastGuard(Device device, Dtype dtype = bfloat16, bool enabled = true);
  /// Restores a mode captured elsewhere.
  explicit AutocastGuard(const AutocastMode& mode);
  ~AutocastGuard();

 private:
  ScopedValue<AutocastMode> mode_;
};

namespace autograd {

/// The cached cast of a leaf; undefined when there is none or the leaf has changed.
Tensor cached_cast(const Tensor& leaf, Dtype dtype);
void cache_cast(const Tensor& leaf, const Tensor& cast);

}  // namespace autograd
}  // namespace lectern
