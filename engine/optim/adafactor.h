#pragma once

#include <optional>
#include <utility>

#include "optim/optimizer.h"

namespace lectern::optim {

struct AdafactorOptions {
  std::optional<double> lr = {};  ///< without it, relative to the step: min(10⁻², 1/√t)
  std::pair<double, double> eps = {1e-30, 1e-3};
  double clip_threshold = 1;
  double decay_rate = -0.8;
  double beta1 = 0;  ///< 0: no average of updates
  double weight_decay = 0;
  bool scale_parameter = true;
  bool warmup_init = false;  ///< of a relative rate: min(10⁻⁶ t, 1/√t)
};

/// Shazeer, Stern (2018), "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost", with the names and
/// formulas of Hugging Face's transformers. Of a parameter with two or more dimensions it keeps averages for
/// rows and columns of its last two only, r + c numbers for r × c. With rms(x) = √mean(x²), in step t:
///
///   a    = lr, or the relative rate; times max(eps₂, rms(p)) with scale_parameter
///   s    = t^decay_rate
///   row  = (1 - s) row + s mean over columns of (g² + eps₁), col likewise over rows
///   u    = g / √(row col / mean(row)), of one dimension g / √v with v = (1 - s) v + s (g² + eps₁)
///   u    = a u / max(1, rms(u) / clip_threshold)
///   m    = beta1 m + (1 - beta1) u, and u = m, with beta1
///   p    = p (1 - weight_decay a) - u
///
/// Kept are "exp_avg_sq_row" and "exp_avg_sq_col", or "exp_avg_sq" (v), and "exp_avg" (m), in float32 (of
/// float64 in float64), and "step" (optim/fused_step.h). A step is one call of kernels/adafactor.h for all
/// parameters of a dtype, on a GPU one launch, and the host waits for nothing.
///
/// Counted for each number of a matrix are 3 floating-point operations for the sums of squares, 2 for u and 2
/// for its size, 3 for the change, with scale_parameter 2, with beta1 3, with a GradScale 1 more; for each
/// row 9 and each column 7. (A vector is one row, whose factor is 1: 15 for each number, and those more.) And
/// the bytes of the gradient once, of the parameter and of what is kept twice.
///
/// A TensorError for lr, eps, clip_threshold or weight_decay below 0, for beta1 out of [0, 1), and for a
/// decay_rate above 0.
class Adafactor : public Optimizer {
 public:
  explicit Adafactor(const Params& params, const AdafactorOptions& options = {});

  void step() override;
  void step(const GradScale& scale) override;

 private:
  class Pass;
  void run(const GradScale* scale);
  void check(const ParamGroup& group) const override;
  std::optional<std::map<std::string, Kept>> kept_states(const ParamGroup& group,
                                                         const Tensor& parameter) const override;
  Dtype state_dtype(const Tensor& parameter) const override;
};

}  // namespace lectern::optim
