#pragma once

#include <optional>
#include <utility>

#include "optim/optimizer.h"

namespace lectern::optim {

struct AdafactorOptions {
  std::optional<double> lr = {};  ///< default: relative to the step, min(10⁻², 1/√t)
  std::pair<double, double> eps = {1e-30, 1e-3};
  double clip_threshold = 1;
  double decay_rate = -0.8;
  double beta1 = 0;  ///< 0: no momentum
  double weight_decay = 0;
  bool scale_parameter = true;
  bool warmup_init = false;  ///< for a relative rate: min(10⁻⁶ t, 1/√t)
};

/// Shazeer, Stern (2018), "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", with the names and
/// formulas of Hugging Face's transformers. For a parameter with two or more dimensions it stores averages
/// only for rows and columns of the last two, r + c values for r × c. With rms(x) = √mean(x²), in step t:
///
///   a    = lr, or the relative rate; times max(eps₂, rms(p)) with scale_parameter
///   s    = t^decay_rate
///   row  = (1 - s) row + s mean over columns of (g² + eps₁), col likewise over rows
///   u    = g / √(row col / mean(row)), of one dimension g / √v with v = (1 - s) v + s (g² + eps₁)
///   u    = a u / max(1, rms(u) / clip_threshold)
///   m    = beta1 m + (1 - beta1) u, and u = m, with beta1
///   p    = p (1 - weight_decay a) - u
///
/// The state is "exp_avg_sq_row" and "exp_avg_sq_col", or "exp_avg_sq" (v), and "exp_avg" (m), in float32
/// (for float64 in float64), and "step" (optim/fused_step.h). A step is one call of kernels/adafactor.h for
/// all parameters of a dtype, one launch on a GPU, and never synchronizes.
///
/// Counts per element of a matrix 3 floating-point operations for the sums of squares, 2 for u and 2 for its
/// size, 3 for the update, 2 with scale_parameter, 3 with beta1, 1 with a GradScale; 9 per row and 7 per
/// column. (A vector is one row with factor 1: 15 per element, plus those options.) Bytes: the gradient's
/// once, the parameter's and the state's twice.
///
/// A TensorError for negative lr, eps, clip_threshold or weight_decay, for beta1 outside [0, 1), and for a
/// positive decay_rate.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(const Params& params, const AdafactorOptions& options = {});

  void step() override { run(nullptr); }
  void step(const GradScale& scale) override { run(&scale); }

 private:
  class Pass;
  void run(const GradScale* scale);
  void check(const ParamGroup& group) const override;
  std::optional<StateSpecs> state_specs(const ParamGroup& group, const Tensor& parameter) const override;
  Dtype state_dtype(const Tensor& parameter) const override;
};

}  // namespace lectern::optim
