#include "ops/embedding.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/index.h"
#include "ops/index_access.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

std::optional<std::int64_t> checked_padding(std::int64_t num_weights,
                                            std::optional<std::int64_t> padding_idx) {
  if (!padding_idx) return {};
  if (*padding_idx < -num_weights || *padding_idx >= num_weights) {
    throw TensorError("embedding", "padding_idx",
                      "one of the " + std::to_string(num_weights) + " rows of the weight",
                      std::to_string(*padding_idx));
  }
  return *padding_idx < 0 ? *padding_idx + num_weights : *padding_idx;
}

/// The largest of the values, checked to be non-negative and below 2^63 - 1; -1 for none.
std::int64_t largest(std::string_view operation, const Tensor& numbers) {
  if (numbers.numel() == 0) return -1;
  const auto [least, most] = uncounted(
      [&] { return std::pair(min(numbers).item<std::int64_t>(), max(numbers).item<std::int64_t>()); });
  if (least < 0) throw TensorError(operation, "every number", "0 or more", std::to_string(least));
  if (most == std::numeric_limits<std::int64_t>::max())
    throw TensorError(operation, "every number", "below 2^63 - 1", std::to_string(most));
  return most;
}

Tensor counted(const Tensor& numbers, const Tensor& weights, std::int64_t minlength) {
  if (numbers.dim() != 1 || numbers.is_floating_point() || numbers.dtype() == bool_) {
    throw TensorError("bincount", "the numbers", "integers in one dimension",
                      std::string(name(numbers.dtype())) + " of shape " + to_string(numbers.sizes()));
  }
  if (minlength < 0) throw TensorError("bincount", "minlength", "0 or more", std::to_string(minlength));
  const std::int64_t bins = std::max(largest("bincount", numbers) + 1, minlength);
  return zeros({bins}, {.dtype = weights.dtype(), .device = numbers.device()})
      .index_add_(0, numbers.to(int64), weights);
}

}  // namespace

Tensor embedding(const Tensor& indices, const Tensor& weight, std::optional<std::int64_t> padding_idx) {
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
  result.index_add_(0, indices.reshape({-1}), grad.reshape({indices.numel(), columns}));
  if (padding) result[*padding].zero_();
  return result;
}

Tensor one_hot(const Tensor& numbers, std::optional<std::int64_t> num_classes) {
  if (numbers.dtype() != int64) {
    throw TensorError("one_hot", "the dtype of the numbers", "int64", name(numbers.dtype()));
  }
  const std::int64_t most = largest("one_hot", numbers);
  if (num_classes && (*num_classes <= most || *num_classes < 1)) {
    throw TensorError("one_hot", "num_classes",
                      "more than 0, and than the largest number, " + std::to_string(most),
                      std::to_string(*num_classes));
  }
  if (!num_classes && most < 0) {
    throw TensorError("one_hot", "without any number num_classes has to say how many places there are");
  }
  const Tensor places = arange(num_classes.value_or(most + 1), {.dtype = int64, .device = numbers.device()});
  return eq(numbers.unsqueeze(-1), places).to(int64);
}

Tensor bincount(const Tensor& numbers, std::int64_t minlength) {
  return counted(numbers, ones({}, {.dtype = int64, .device = numbers.device()}).expand(numbers.sizes()),
                 minlength);
}

Tensor bincount(const Tensor& numbers, const Tensor& weights, std::int64_t minlength) {
  if (weights.sizes() != numbers.sizes()) {
    throw TensorError("bincount", "weights", "of the shape of the numbers, " + to_string(numbers.sizes()),
                      "of shape " + to_string(weights.sizes()));
  }
  return counted(numbers, weights.to(weights.dtype() == float32 ? float32 : float64), minlength);
}

}  // namespace lectern
