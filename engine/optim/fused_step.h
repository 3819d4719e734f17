#pragma once

#include <vector>

#include "kernels/grad_scale.h"
#include "kernels/updates.h"
#include "optim/optimizer.h"

namespace lectern::optim {

/// A tensor's elements in dense memory with these `strides` (result_strides() of tensor/layout.h): in place
/// or in a copy.
class DenseView {
 public:
  DenseView(const Tensor& tensor, const Sizes& strides);

  void* data() const { return dense_.data_ptr(); }
  /// To be called after changing them.
  void write_back() const;

 private:
  Tensor tensor_, dense_;
};

/// Common to the steps of fused optimizers: the tensors that a kernel reads and updates, and each parameter's
/// step count. That is "step", a 0-d float32 tensor as in PyTorch. It is on the CPU until there is a
/// GradScale on a GPU: only the GPU knows then which steps are skipped, and so the count; or until the
/// optimizer is to be captured.
class FusedStep {
 public:
  /// `scale` may be null.
  explicit FusedStep(const GradScale* scale);

  bool is_scaled() const { return scale_ != nullptr; }
  /// Whether the step is skipped; false where only a GPU knows.
  bool is_skipped() const;
  /// The factor of the gradients; 1 where only a GPU knows.
  double factor() const;
  /// The scale for kernels on `device`: null on the CPU.
  kernels::GradScale on_gpu(Device device) const;

  /// A parameter's current step on `device`. `step`, its count so far, may be undefined; a TensorError unless
  /// it is a tensor as above, and while a CUDA graph is captured unless it is on the GPU.
  kernels::StepCount count(Tensor& step, Device device, bool capturable = false);
  /// A tensor's elements with these `strides`, valid until the step is finished.
  const void* read(const Tensor& tensor, const Sizes& strides);
  void* change(const Tensor& tensor, const Sizes& strides);
  /// To be called after the kernels.
  void finish() const;

 private:
  const GradScale* scale_;
  bool is_on_host_;
  std::vector<float*> host_counts_;
  std::vector<DenseView> read_, changed_;
};

}  // namespace lectern::optim
