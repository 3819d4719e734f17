#pragma once

#include <cstddef>
#include <string_view>

#include "base/scoped_value.h"
#include "tensor/tensor.h"

namespace lectern::autograd {

namespace detail {
inline constinit thread_local bool anomaly_mode = false;
}

inline bool is_anomaly_enabled() {
  return detail::anomaly_mode;
}

/// Until the end of the scope every gradient is checked as it is computed: the first with a NaN is a
/// TensorError that names the operation. Slow, and it synchronizes with a GPU.
class DetectAnomaly : ScopedValue<bool> {
 public:
  DetectAnomaly() : ScopedValue(detail::anomaly_mode, true) {}
};

/// A TensorError when the gradient of this input of the operation contains a NaN.
void check_gradient(std::string_view operation, std::size_t input, const Tensor& gradient);

}  // namespace lectern::autograd
