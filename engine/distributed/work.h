#pragma once

#include <memory>

namespace lectern::distributed {

class PendingWork;

/// A collective that may still run. Until wait() has returned, its inputs must not be changed and its outputs
/// hold nothing certain. Nobody has to wait, but then nobody learns of errors.
class Work {
 public:
  /// One that is complete.
  Work() = default;
  explicit Work(std::shared_ptr<PendingWork> pending);

  /// Until it is complete; throws its TensorError, each time. By one thread at a time. Of CUDA tensors until
  /// it is enqueued: the current stream of their device waits for it.
  void wait() const;
  /// Whether wait() returns at once. (Of send and recv: whether somebody has waited.)
  bool is_completed() const;

 private:
  std::shared_ptr<PendingWork> pending_;
};

}  // namespace lectern::distributed
