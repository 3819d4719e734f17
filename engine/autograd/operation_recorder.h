#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/scoped_value.h"
#include "device/stream.h"
#include "kernels/fused_operation.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"

// The mode in which operations are recorded to be computed later, several in one pass (compile/). Elementwise
// operations, their gradients, conversions and reductions ask the recorder of their thread first, when they
// have checked their arguments:
//
//   if (Tensor later = deferred(name, operation, sizes, device, a, b); later.defined()) return later;
//   …

namespace lectern {

namespace autograd {

/// A scope of a recorder, ended by finish(); without it, after an exception.
class RecordingScope {
 public:
  RecordingScope() = default;
  virtual ~RecordingScope() = default;
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

  /// Computes what is still needed.
  virtual void finish() = 0;
};

/// What records the gradients of operations that were recorded themselves.
class GradientRecording {
 public:
  GradientRecording() = default;
  virtual ~GradientRecording() = default;
  GradientRecording(const GradientRecording&) = delete;
  GradientRecording& operator=(const GradientRecording&) = delete;

  virtual std::unique_ptr<RecordingScope> begin() = 0;
};

}  // namespace autograd

/// A tensor or a scalar.
struct RecordedOperand {
  explicit RecordedOperand(const Tensor& value) : tensor(&value) {}
  explicit RecordedOperand(const Scalar& value) : scalar(&value) {}

  const Tensor* tensor = nullptr;
  const Scalar* scalar = nullptr;
};

class OperationRecorder : public StorageWatch, public cuda::StreamWatch {
 public:
  /// The result of an operation on operands that broadcast to `sizes`, to be computed later; undefined if it
  /// must be computed now.
  virtual Tensor elementwise(std::string_view name, const kernels::FusedOperation& operation,
                             const Sizes& sizes, Device device, std::span<const RecordedOperand> in) = 0;
  /// The same for an in-place operation on `self`, which may be an operand; false if it must be computed now.
  virtual bool change(const kernels::FusedOperation& operation, const Tensor& self,
                      std::span<const RecordedOperand> in) = 0;
  /// x reduced over the dimensions d that have over[d], to a result of shape `sizes`; `flops` per element.
  virtual Tensor reduction(std::string_view name, const kernels::FusedOperation& operation, const Tensor& x,
                           std::span<const bool> over, const Sizes& sizes, std::int64_t flops) = 0;
  virtual const std::shared_ptr<autograd::GradientRecording>& gradients() const = 0;
};

namespace detail {
inline constinit thread_local OperationRecorder* operation_recorder = nullptr;
}

/// This thread's; null: operations compute at once.
inline OperationRecorder* operation_recorder() {
  return detail::operation_recorder;
}

/// Sets it until the end of the scope.
class OperationRecorderScope {
 public:
  explicit OperationRecorderScope(OperationRecorder* recorder)
      : recorder_(detail::operation_recorder, recorder),
        watch_(detail::storage_watch, recorder),
        streams_(cuda::detail::stream_watch, recorder) {}

 private:
  ScopedValue<OperationRecorder*> recorder_;
  ScopedValue<StorageWatch*> watch_;
  ScopedValue<cuda::StreamWatch*> streams_;
};

/// The result, if a recorder computes it later; otherwise undefined.
template <typename... In>
Tensor deferred(std::string_view name, const kernels::FusedOperation& operation, const Sizes& sizes,
                Device device, const In&... in) {
  OperationRecorder* const recorder = operation_recorder();
  if (recorder == nullptr) [[likely]]
    return {};
  const RecordedOperand operands[] = {RecordedOperand(in)...};
  return recorder->elementwise(name, operation, sizes, device, operands);
}

/// Whether a recorder changes `self` later.
template <typename... In>
bool deferred_change(const kernels::FusedOperation& operation, const Tensor& self, const In&... in) {
  OperationRecorder* const recorder = operation_recorder();
  if (recorder == nullptr) [[likely]]
    return false;
  const RecordedOperand operands[] = {RecordedOperand(in)...};
  return recorder->change(operation, self, operands);
}

}  // namespace lectern
