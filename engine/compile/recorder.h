#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/operation_recorder.h"
#include "compile/expression.h"
#include "compile/plan.h"
#include "compile/report.h"

namespace lectern::fusion {

/// Records the operations of a thread as expressions. They are computed together, as few passes over memory,
/// when anything needs the elements of one of them: flush(). What only a graph keeps for its backward pass
/// stays an expression, which the backward pass computes again within passes of its own.
///
/// Whatever is not recorded runs at once, as always, and may read and write what recorded operations read:
/// the recorder sees every access to such memory before it happens, and flushes.
class Recorder final : public OperationRecorder {
 public:
  /// The owner of the plans records gradients, too; `report` may be null.
  Recorder(PlanCache& plans, std::shared_ptr<autograd::GradientRecording> owner, Report* report)
      : plans_(plans), gradients_(std::move(owner)), report_(report) {}

  /// This thread's; null outside of compiled functions.
  static Recorder* current() { return static_cast<Recorder*>(operation_recorder()); }

  Tensor elementwise(std::string_view name, const kernels::FusedOperation& operation, const Sizes& sizes,
                     Device device, std::span<const RecordedOperand> in) override;
  bool change(const kernels::FusedOperation& operation, const Tensor& self,
              std::span<const RecordedOperand> in) override;
  Tensor reduction(std::string_view name, const kernels::FusedOperation& operation, const Tensor& x,
                   std::span<const bool> over, const Sizes& sizes, std::int64_t flops) override;
  const std::shared_ptr<autograd::GradientRecording>& gradients() const override { return gradients_; }
  void before_access(const Storage& storage) override;
  void before_stream_change() override;

  /// Computes what tensors outside of graphs still refer to.
  void flush(std::string_view why);

 private:
  /// Why an operation runs at once; empty if it can be recorded.
  std::string_view refusal(const kernels::FusedOperation& operation, const Sizes& sizes, Device device,
                           std::span<const RecordedOperand> in) const;
  void refuse(std::string_view name, std::string_view why) const;
  /// An expression over `sizes`.
  std::shared_ptr<Expression> express(const kernels::FusedOperation& operation, const Sizes& sizes,
                                      Device device, std::span<const RecordedOperand> in);
  /// The operand as an input of the expression `reader`.
  ExpressionOperand operand(const RecordedOperand& recorded, const Expression& reader);
  /// Contiguous; the strides of dimensions of size 1 are any.
  Tensor result(const std::shared_ptr<Expression>& expression, const Sizes& strides);
  /// Computes them when there are many.
  void count_operation();
  bool is_pending(const Storage& storage) const;

  PlanCache& plans_;
  std::shared_ptr<autograd::GradientRecording> gradients_;
  Report* report_;
  std::shared_ptr<std::mutex> computing_ = std::make_shared<std::mutex>();
  std::vector<Storage> pending_;
  std::vector<Storage> read_;   ///< by the expressions of these
  std::size_t operations_ = 0;  ///< recorded since the last flush
};

}  // namespace lectern::fusion
