#pragma once

#include <utility>

#include "optim/fused.h"

namespace lectern::optim {

struct NAdamOptions {
  double lr = 2e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum_decay = 4e-3;
};

/// Dozat (2016), "Incorporating Nesterov Momentum into Adam", as in PyTorch 2.0 (1.13 takes the momentum of a
/// step twice). In step t, from 1, with μ(t) = beta1 (1 - 0.96^(t momentum_decay) / 2) and P the product of
/// μ(1) to μ(t):
///
///   g = gradient + weight_decay p
///   m = beta1 m + (1 - beta1) g
///   v = beta2 v + (1 - beta2) g²
///   p = p - lr ((1 - μ(t)) / (1 - P) g + μ(t + 1) / (1 - P μ(t + 1)) m) / (√(v / (1 - beta2^t)) + eps)
///
/// m is stored as "exp_avg", v as "exp_avg_sq", P as "mu_product", one float32 on the CPU. A step with a
/// GradScale waits for it. A TensorError for negative lr, eps, weight_decay or momentum_decay, and for betas
/// outside [0, 1).
class NAdam : public FusedOptimizer {
 public:
  explicit NAdam(const Params& params, const NAdamOptions& options = {});

  void step() override;
  void step(const GradScale& scale) override;

 private:
  Plan plan(const ParamGroup& group) const override;
  std::optional<Settings> settings_of(const Plan& plan, const State& state) const override;
  std::optional<StateSpecs> state_specs(const ParamGroup& group, const Tensor& parameter) const override;
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
