#pragma once

#include <optional>

#include "optim/fused.h"

namespace lectern::optim {

struct SGDOptions {
  std::optional<double> lr = {};  ///< if empty, every group must set it
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;  ///< ascend instead of descend
};

/// Stochastic gradient descent, with momentum as in PyTorch:
///
///   g = gradient + weight_decay p
///   b = g at first, then momentum b + (1 - dampening) g
///   p = p - lr b, or with nesterov p - lr (g + momentum b)
///
/// With momentum b is stored as "momentum_buffer". A TensorError for negative lr, momentum or weight_decay,
/// and for nesterov without momentum or with dampening.
class SGD : public FusedOptimizer {
 public:
  SGD(const Params& params, const SGDOptions& options);

 private:
  Plan plan(const ParamGroup& group) const override;
  std::vector<std::string> optional_states() const override { return {"momentum_buffer"}; }
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
