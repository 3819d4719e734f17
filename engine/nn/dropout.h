#pragma once

#include <string>

#include "base/tensor_error.h"
#include "nn/module.h"
#include "nn/repr.h"
#include "ops/dropout.h"

namespace lectern::nn {

/// In training mode, zeroes each element with probability p and divides the others by 1 - p; otherwise the
/// identity. Draws and costs are those of dropout() (ops/dropout.h).
class Dropout : public Module {
 public:
  /// A TensorError unless p is in [0, 1].
  explicit Dropout(double p = 0.5) : p_(p) {
    if (!(p >= 0 && p <= 1)) throw TensorError("Dropout", "p", "in [0, 1]", repr(p));
  }

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return dropout(in, p_, is_training()); });
  }

  double p() const { return p_; }
  std::string extra_repr() const override { return "p=" + repr(p_) + ", inplace=False"; }

 private:
  double p_;
};

}  // namespace lectern::nn
