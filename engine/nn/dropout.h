#pragma once

#include "nn/module.h"

namespace lectern::nn {

/// In training mode, zeroes each element with probability p and divides the others by 1 - p; otherwise the
/// identity. Draws and costs are those of dropout() (ops/losses.h).
class Dropout : public Module {
 public:
  /// A TensorError unless p is in [0, 1].
  explicit Dropout(double p = 0.5);

  Tensor operator()(const Tensor& x) const;

  double p() const { return p_; }
  std::string extra_repr() const override;

 private:
  double p_;
};

}  // namespace lectern::nn
