#include "nn/dropout.h"

#include "base/tensor_error.h"
#include "nn/repr.h"
#include "ops/losses.h"

namespace lectern::nn {

Dropout::Dropout(double p) : p_(p) {
  if (!(p >= 0 && p <= 1)) throw TensorError("Dropout", "p", "in [0, 1]", repr(p));
}

Tensor Dropout::operator()(const Tensor& x) const {
  return dropout(x, p_, is_training());
}

std::string Dropout::extra_repr() const {
  return "p=" + repr(p_) + ", inplace=False";
}

}  // namespace lectern::nn
