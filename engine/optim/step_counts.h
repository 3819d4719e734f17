#pragma once

#include <vector>

#include "kernels/cuda/grad_scale.h"
#include "kernels/updates.h"
#include "optim/grad_scale.h"

namespace lectern::optim {

/// How a step of a fused optimizer counts its parameters' steps, in "step", a 0-d tensor of float32 as in
/// PyTorch. It is in the host's memory until there is a GradScale on a GPU: which steps are skipped is known
/// only there, and so is what follows from the count.
class StepCounts {
 public:
  /// `scale` may be null.
  explicit StepCounts(const GradScale* scale);

  /// Whether nothing is to be done; false where only a GPU knows.
  bool is_skipped() const;
  /// What gradients are multiplied with; 1 where only a GPU knows.
  double factor() const;
  /// What kernels on a GPU know.
  kernels::cuda::GradScale on_gpu() const;

  /// The present step of a parameter on `device`. `step`, its count so far, may be undefined; a TensorError
  /// unless it is such a tensor.
  kernels::StepCount count(Tensor& step, Device device);
  /// After the step.
  void finish() const;

 private:
  const GradScale* scale_;
  bool is_on_host_;
  std::vector<float*> counts_on_host_;
};

}  // namespace lectern::optim
