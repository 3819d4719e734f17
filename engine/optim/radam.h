#pragma once

#include <utility>

#include "optim/fused.h"

namespace lectern::optim {

struct RAdamOptions {
  double lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
};

/// Liu et al. (2020), "On the Variance of the Adaptive Learning Rate and Beyond", as in PyTorch. In step t,
/// from 1, with N = 2 / (1 - beta2) - 1 and n = N - 2 t beta2^t / (1 - beta2^t), the lengths of averages:
///
///   g = gradient + weight_decay p
///   m = beta1 m + (1 - beta1) g
///   v = beta2 v + (1 - beta2) g²
///   r = √((n - 4) (n - 2) N / ((N - 4) (N - 2) n)) √(1 - beta2^t) / (√v + eps) where n > 5, else 1
///   p = p - lr r m / (1 - beta1^t)
///
/// m is stored as "exp_avg", v as "exp_avg_sq". A TensorError for negative lr, eps or weight_decay, and for
/// betas outside [0, 1).
class RAdam : public FusedOptimizer {
 public:
  explicit RAdam(const Params& params, const RAdamOptions& options = {});

 private:
  Plan plan(const ParamGroup& group) const override;
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
