#pragma once

#include "optim/fused.h"

namespace lectern::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;  ///< divides by the gradients' standard deviation, not their root mean square
  bool maximize = false;  ///< ascend instead of descend
};

/// Tieleman, Hinton (2012), "Lecture 6.5 - RMSProp"; centered: Graves (2013), "Generating Sequences With
/// Recurrent Neural Networks". As in PyTorch:
///
///   g = gradient + weight_decay p
///   v = alpha v + (1 - alpha) g²
///   a = alpha a + (1 - alpha) g, where centered, else 0
///   d = g / (√(v - a²) + eps)
///   p = p - lr d, or with momentum b = momentum b + d, p = p - lr b
///
/// v is stored as "square_avg", a as "grad_avg", b as "momentum_buffer". A TensorError for negative options.
class RMSprop : public FusedOptimizer {
 public:
  explicit RMSprop(const Params& params, const RMSpropOptions& options = {});

 private:
  Plan plan(const ParamGroup& group) const override;
  std::vector<std::string> optional_states() const override { return {"grad_avg", "momentum_buffer"}; }
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
