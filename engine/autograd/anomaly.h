#pragma once

#include <cstddef>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern::autograd {

/// Until the end of the scope every gradient is checked as it is computed: the first with a NaN is a
/// TensorError that names the operation. Slow, and it synchronizes with a GPU.
class DetectAnomaly {
 public:
  DetectAnomaly();
  ~DetectAnomaly();
  DetectAnomaly(const DetectAnomaly&) = delete;
  DetectAnomaly& operator=(const DetectAnomaly&) = delete;

 private:
  bool before_;
};

bool is_anomaly_enabled();

/// A TensorError when the gradient of this input of the operation holds a NaN.
void check_gradient(std::string_view operation, std::size_t input, const Tensor& gradient);

}  // namespace lectern::autograd
