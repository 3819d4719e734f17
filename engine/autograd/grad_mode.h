#pragma once

#include "base/scoped_value.h"

namespace lectern {

namespace detail {
inline constinit thread_local bool grad_mode = true;
}

/// Whether this thread's operations are recorded for backward(); initially true.
inline bool is_grad_enabled() {
  return detail::grad_mode;
}

/// Turns recording on or off until the end of the scope.
class GradModeGuard : ScopedValue<bool> {
 public:
  explicit GradModeGuard(bool enabled) : ScopedValue(detail::grad_mode, enabled) {}
};

/// Nothing is recorded until the end of the scope, as in PyTorch's `with torch.no_grad():`.
class NoGradGuard : public GradModeGuard {
 public:
  NoGradGuard() : GradModeGuard(false) {}
};

/// Records again inside a NoGradGuard.
class EnableGradGuard : public GradModeGuard {
 public:
  EnableGradGuard() : GradModeGuard(true) {}
};

}  // namespace lectern
