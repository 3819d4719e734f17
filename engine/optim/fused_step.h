#pragma once

#include <vector>

#include "kernels/cuda/grad_scale.h"
#include "kernels/updates.h"
#include "optim/dense_numbers.h"
#include "optim/grad_scale.h"

namespace lectern::optim {

/// What the steps of fused optimizers have in common: the tensors that a kernel reads and changes, and how
/// often a parameter was changed. That is counted in "step", a 0-d tensor of float32 as in PyTorch. It is in
/// the host's memory until there is a GradScale on a GPU: which steps are skipped is known only there, and so
/// is what follows from the count.
class FusedStep {
 public:
  /// `scale` may be null.
  explicit FusedStep(const GradScale* scale);

  bool is_scaled() const { return scale_ != nullptr; }
  /// Whether nothing is to be done; false where only a GPU knows.
  bool is_skipped() const;
  /// What gradients are multiplied with; 1 where only a GPU knows.
  double factor() const;
  /// What kernels on a GPU know.
  kernels::cuda::GradScale on_gpu() const;

  /// The present step of a parameter on `device`. `step`, its count so far, may be undefined; a TensorError
  /// unless it is such a tensor.
  kernels::StepCount count(Tensor& step, Device device);
  /// The numbers of a tensor, in the order of `strides` (optim/dense_numbers.h), until the step is finished.
  const void* read(const Tensor& tensor, const Sizes& strides);
  void* change(const Tensor& tensor, const Sizes& strides);
  /// After the kernels.
  void finish() const;

 private:
  const GradScale* scale_;
  bool is_on_host_;
  std::vector<float*> counts_on_host_;
  std::vector<DenseNumbers> read_, changed_;
};

}  // namespace lectern::optim
