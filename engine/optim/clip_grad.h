#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace lectern::nn::utils {

/// The norm of all elements of the tensors, as one vector: a 0-d tensor of their (promoted) dtype on the
/// device of the first; 0 for no tensors. Orders 1, 2 and infinity are accumulated in float64, in one pass. A
/// TensorError unless all are float64, float32, float16 or bfloat16.
Tensor get_total_norm(const std::vector<Tensor>& tensors, double norm_type = 2);

/// Scales all gradients by max_norm / (norm + 1e-6) where that is below 1, in place, and returns their total
/// norm before. As PyTorch's torch.nn.utils.clip_grad_norm_.
///
/// On a GPU it is one launch for all gradients and does not synchronize, unless `error_if_nonfinite`: then an
/// infinite or NaN norm is a TensorError, and nothing is changed.
///
/// Counts 2 floating-point operations per element for the norm (magnitude or square, sum) and 1 for scaling,
/// and the bytes of gradients three times. Other orders cost what the composing operations do.
Tensor clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type = 2,
                       bool error_if_nonfinite = false);

/// Clamps gradients to [-clip_value, clip_value] in place.
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);

}  // namespace lectern::nn::utils
