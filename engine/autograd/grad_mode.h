#pragma once

namespace lectern {

namespace detail {
extern constinit thread_local bool grad_mode;
}

/// Whether this thread's operations are recorded for backward(); initially true.
inline bool is_grad_enabled() {
  return detail::grad_mode;
}

/// Turns recording on or off until the end of the scope.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) : before_(detail::grad_mode) { detail::grad_mode = enabled; }
  ~GradModeGuard() { detail::grad_mode = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
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
