#pragma once

#include <utility>

#include "optim/fused.h"

namespace lectern::optim {

struct AdamOptions {
  double lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;
  bool maximize = false;  ///< ascend instead of descend
  /// Counts steps on the parameter's device, so that a CUDA graph of a step can be replayed
  /// (tensor/cuda_graph.h), once one step has been taken before it is captured.
  bool capturable = false;
};

/// Kingma, Ba (2015), "Adam: A Method for Stochastic Optimization", as in PyTorch. In step t, from 1:
///
///   g = gradient + weight_decay p
///   m = beta1 m + (1 - beta1) g
///   v = beta2 v + (1 - beta2) g²
///   p = p - lr / (1 - beta1^t) m / (√v / √(1 - beta2^t) + eps)
///
/// m is stored as "exp_avg", v as "exp_avg_sq". With amsgrad (Reddi, Kale, Kumar, 2018, "On the Convergence
/// of Adam and Beyond") the root is of the maximum v so far, stored as "max_exp_avg_sq". A TensorError for
/// negative lr, eps or weight_decay, and for betas outside [0, 1).
class Adam : public FusedOptimizer {
 public:
  explicit Adam(const Params& params, const AdamOptions& options = {});

 protected:
  Adam(const Params& params, const AdamOptions& options, std::string_view name, bool decoupled);

 private:
  Plan plan(const ParamGroup& group) const override;
  std::vector<std::string> optional_states() const override { return {"max_exp_avg_sq"}; }
  void check(const ParamGroup& group) const override;

  bool decoupled_, capturable_;
};

struct AdamWOptions {
  double lr = 1e-3;
  std::pair<double, double> betas = {0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
  bool capturable = false;  ///< as of Adam
};

/// Loshchilov, Hutter (2019), "Decoupled Weight Decay Regularization", as in PyTorch: Adam in which g is the
/// gradient alone, and p is decayed separately, p = p (1 - lr weight_decay), before the update. In float32 it
/// moves 28 bytes per element: 8 of the parameter, 4 of the gradient, 16 of m and v.
class AdamW : public Adam {
 public:
  explicit AdamW(const Params& params, const AdamWOptions& options = {});
};

}  // namespace lectern::optim
