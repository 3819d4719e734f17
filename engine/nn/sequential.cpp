#include "nn/sequential.h"

#include "base/tensor_error.h"

namespace lectern::nn {

Module& Sequential::operator[](std::size_t i) const {
  if (i < size()) return *steps_[i].module;
  throw TensorError("Sequential", "the index", "below " + std::to_string(size()), std::to_string(i));
}

Tensor Sequential::operator()(const Tensor& x) const {
  Tensor result = x;
  for (const Step& step : steps_) result = step.call(*step.module, result);
  return result;
}

}  // namespace lectern::nn
