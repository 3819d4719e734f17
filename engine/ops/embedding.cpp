#include "ops/embedding.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "autograd/grad_mode.h"
#include "autograd/record.h"
#include "base/noun.h"
#include "base/number_text.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/index.h"
#include "ops/index_access.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

std::optional<std::int64_t> checked_padding(std::int64_t num_weights,
                                            std::optional<std::int64_t> padding_idx) {
  if (!padding_idx) return {};
  if (*padding_idx < -num_weights || *padding_idx >= num_weights) {
    throw TensorError("embedding", "padding_idx",
                      "from " + std::to_string(-num_weights) + " to " + std::to_string(num_weights - 1) +
                          ", as the weight has " + with_noun(num_weights, "row"),
                      std::to_string(*padding_idx));
  }
  return *padding_idx < 0 ? *padding_idx + num_weights : *padding_idx;
}

void renormalize(const Tensor& indices, const Tensor& weight, double max_norm, double norm_type) {
  if (!(max_norm >= 0)) throw TensorError("embedding", "max_norm", "0 or more", number_text(max_norm));
  if (indices.numel() == 0) return;
  const NoGradGuard no_grad;
  const Tensor places = indices.reshape({-1}).to(int64);
  const Tensor rows = embedding(places, weight.detach());
  const Tensor norms = rows.norm(norm_type, {1}, true);
  const Tensor scales = where(norms > max_norm, max_norm / (norms + 1e-7), 1);
  weight.detach().index_put_({places}, rows * scales);
}

/// The largest of the values, checked to be non-negative and below 2^63 - 1; -1 for none.
std::int64_t largest(std::string_view operation, const Tensor& values) {
  if (values.numel() == 0) return -1;
  const auto [least, most] = uncounted(
      [&] { return std::pair(min(values).item<std::int64_t>(), max(values).item<std::int64_t>()); });
  if (least < 0) throw TensorError(operation, "every value", "0 or more", std::to_string(least));
  if (most == std::numeric_limits<std::int64_t>::max())
    throw TensorError(operation, "every value", "below 2^63 - 1", std::to_string(most));
  return most;
}

Tensor counted(const Tensor& values, const Tensor& weights, std::int64_t minlength) {
  if (values.dim() != 1 || values.is_floating_point() || values.dtype() == bool_) {
    throw TensorError("bincount", "the values", "integers in one dimension",
                      std::string(name(values.dtype())) + " of shape " + to_string(values.sizes()));
  }
  if (minlength < 0) throw TensorError("bincount", "minlength", "0 or more", std::to_string(minlength));
  check_same_device("bincount", values, weights);
  const std::int64_t bins = std::max(largest("bincount", values) + 1, minlength);
  checked_nbytes("bincount", weights.dtype(), {bins});
  return zeros({bins}, {.dtype = weights.dtype(), .device = values.device()})
      .index_add_(0, values.to(int64), weights);
}

}  // namespace

Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<std::int64_t> padding_idx,
                 std::optional<double> max_norm, double norm_type) {
  if (max_norm) renormalize(indices, weight, *max_norm, norm_type);
  return autograd::recorded(
      "embedding", {&weight},
      [&] {
        if (weight.dim() != 2) {
          throw TensorError("embedding", "weight", "of two dimensions",
                            "of shape " + to_string(weight.sizes()));
        }
        check_same_device("embedding", indices, weight);
        checked_padding(weight.size(0), padding_idx);
        const Tensor rows = as_index("embedding", indices);
        check_inside("embedding", rows, 0, weight.size(0));
        const Sizes sizes = concat(rows.sizes(), {weight.size(1)});
        Sizes strides = Sizes::filled(sizes.size(), 0);
        strides[sizes.size() - 1] = weight.stride(1);
        return take("embedding", weight.as_strided(sizes, strides, weight.storage_offset()),
                    rows.as_strided(sizes, concat(rows.strides(), {0})), {weight.size(0), weight.stride(0)});
      },
      [&] { return autograd::formula(embedding_backward, Saved(indices), weight.size(0), padding_idx); });
}

Tensor embedding_backward(const Tensor& grad, const Tensor& indices, std::int64_t num_weights,
                          std::optional<std::int64_t> padding_idx) {
  const auto padding = checked_padding(num_weights, padding_idx);
  const std::int64_t columns = grad.size(-1);
  const Tensor result = zeros({num_weights, columns}, {.dtype = grad.dtype(), .device = grad.device()});
  const bool is_one = indices.dim() == 0;
  const Index rows = as_index("embedding_backward", is_one ? indices.unsqueeze(0) : indices);
  index_put_(result, {&rows, 1}, is_one ? grad.unsqueeze(0) : grad, true);
  if (padding) result[*padding].zero_();
  return result;
}

Tensor one_hot(const Tensor& values, std::optional<std::int64_t> num_classes) {
  if (values.dtype() != int64) {
    throw TensorError("one_hot", "the dtype of the values", "int64", name(values.dtype()));
  }
  const std::int64_t most = largest("one_hot", values);
  if (num_classes && (*num_classes <= most || *num_classes < 1)) {
    throw TensorError("one_hot", "num_classes",
                      "more than 0, and than the largest value, " + std::to_string(most),
                      std::to_string(*num_classes));
  }
  if (!num_classes && most < 0) {
    throw TensorError("one_hot", "without values num_classes must be given");
  }
  const Tensor classes = arange(num_classes.value_or(most + 1), {.dtype = int64, .device = values.device()});
  return eq(values.unsqueeze(-1), classes).to(int64);
}

Tensor bincount(const Tensor& values, std::int64_t minlength) {
  return counted(values, ones({}, {.dtype = int64, .device = values.device()}).expand(values.sizes()),
                 minlength);
}

Tensor bincount(const Tensor& values, const Tensor& weights, std::int64_t minlength) {
  if (weights.sizes() != values.sizes()) {
    throw TensorError("bincount", "weights", "of the shape of the values, " + to_string(values.sizes()),
                      "of shape " + to_string(weights.sizes()));
  }
  return counted(values, weights.to(weights.dtype() == float32 ? float32 : float64), minlength);
}

}  // namespace lectern
