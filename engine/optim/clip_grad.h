#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace lectern::nn::utils {

/// The norm of all numbers of the tensors, as if they were one vector: a tensor without dimensions of their
/// dtype (of several: of what they promote to), on the device of the first; 0 without tensors. The orders 1,
/// 2 and infinity are added up in float64, in one pass. A TensorError unless all are float64, float32,
/// float16 or bfloat16.
Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2);

/// Multiplies all gradients with max_norm / (norm + 1e-6) where that is below 1, in place, and returns their
/// total norm before. As PyTorch's torch.nn.utils.clip_grad_norm_.
///
/// On a GPU it is one launch for all gradients, and the host waits for nothing, unless `error_if_nonfinite`:
/// then a norm that is infinite or NaN is a TensorError, and nothing is changed.
///
/// Counts 2 floating-point operations for each number (its magnitude or square, and the sum) and 1 for its
/// multiplication, and the bytes of gradients three times. Other orders cost what the operations do that
/// compute them.
Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2,
                       bool error_if_nonfinite = false);

/// Gradients below -clip_value become -clip_value, those above clip_value become that. In place.
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);

}  // namespace lectern::nn::utils
