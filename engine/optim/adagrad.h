#pragma once

#include "optim/fused.h"

namespace lectern::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;  ///< ascend instead of descend
};

/// Duchi, Hazan, Singer (2011), "Adaptive Subgradient Methods for Online Learning and Stochastic
/// Optimization", as in PyTorch. In step t, from 1:
///
///   g = gradient + weight_decay p
///   s = s + g²
///   p = p - lr / (1 + (t - 1) lr_decay) g / (√s + eps)
///
/// s is stored as "sum" from the first step on, starting at initial_accumulator_value. A TensorError for
/// negative options.
class Adagrad : public FusedOptimizer {
 public:
  explicit Adagrad(const Params& params, const AdagradOptions& options = {});

 private:
  Plan plan(const ParamGroup& group) const override;
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
