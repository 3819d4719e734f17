#pragma once

#include "base/scoped_value.h"

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

}  // namespace lectern::autograd
