#pragma once

#include <utility>

#include "optim/fused.h"

namespace lectern::optim {

struct LionOptions {
  double lr = 1e-4;
  std::pair<double, double> betas = {0.9, 0.99};
  double weight_decay = 0;
};

/// Chen et al. (2023), "Symbolic Discovery of Optimization Algorithms", with the names and defaults of the
/// authors' program (google/automl, lion_pytorch.py):
///
///   p = p (1 - lr weight_decay) - lr sign(beta1 m + (1 - beta1) g)
///   m = beta2 m + (1 - beta2) g
///
/// where g is the gradient and m is stored as "exp_avg": half of Adam's state. A TensorError for negative lr
/// or weight_decay, and for betas outside [0, 1).
class Lion : public FusedOptimizer {
 public:
  explicit Lion(const Params& params, const LionOptions& options = {});

 private:
  Plan plan(const ParamGroup& group) const override;
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
