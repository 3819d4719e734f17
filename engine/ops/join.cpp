#include "ops/join.h"

#include <algorithm>
#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/devices.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// Skipped by cat(), for loops that start with an empty tensor.
bool is_nothing(const Tensor& tensor) {
  return tensor.sizes() == Sizes{0};
}

void check_joinable(std::string_view operation, const Tensor& first, const Tensor& tensor, std::size_t dim,
                    std::size_t index) {
  check_same_device(operation, first, tensor);
  bool fits = tensor.dim() == first.dim();
  for (std::size_t d = 0; fits && d < first.sizes().size(); ++d) {
    fits = d == dim || tensor.sizes()[d] == first.sizes()[d];
  }
  if (!fits) {
    throw TensorError(operation, "tensor " + std::to_string(index),
                      "of the shape of the others, " + to_string(first.sizes()) + ", but for dimension " +
                          std::to_string(dim),
                      "of shape " + to_string(tensor.sizes()));
  }
}

void check_not_empty(std::string_view operation, const std::vector<Tensor>& tensors) {
  if (tensors.empty()) throw TensorError(operation, "the list of tensors", "of one or more", "empty");
}

std::string size_list(const std::vector<std::int64_t>& sizes) {
  std::string list = "[";
  for (const std::int64_t size : sizes) list.append(list == "[" ? "" : ", ").append(std::to_string(size));
  return list + "]";
}

/// Adds leading dimensions as hstack() and vstack() need.
std::vector<Tensor> prepend_dims(std::int64_t dims, const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result = tensors;
  for (Tensor& tensor : result) {
    while (tensor.dim() < dims) tensor = tensor.unsqueeze(0);
  }
  return result;
}

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim) {
  check_not_empty("cat", tensors);
  ResultType type;
  const Tensor* first = nullptr;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() == 0) {
      throw TensorError("cat", "tensor " + std::to_string(i), "of one dimension or more; use stack()",
                        "of shape []");
    }
    type.tensor(tensors[i].dtype(), tensors[i].dim());
    if (first == nullptr && !is_nothing(tensors[i])) first = &tensors[i];
  }
  if (first == nullptr) first = tensors.data();
  const std::size_t at = wrap_dim("cat", dim, first->sizes().size());
  Sizes sizes = first->sizes();
  sizes[at] = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (is_nothing(tensors[i])) continue;
    check_joinable("cat", *first, tensors[i], at, i);
    if (__builtin_add_overflow(sizes[at], tensors[i].sizes()[at], &sizes[at])) {
      throw TensorError("cat", "the sum of the sizes of dimension " + std::to_string(at), "below 2^63",
                        "more");
    }
  }
  const auto along = static_cast<std::int64_t>(at);
  std::vector<const Tensor*> inputs;
  inputs.reserve(tensors.size());
  for (const Tensor& tensor : tensors) inputs.push_back(&tensor);
  return autograd::recorded(
      "cat", inputs,
      [&] {
        const Tensor result = empty(sizes, {.dtype = type.dtype(), .device = first->device()});
        std::int64_t begin = 0;
        for (const Tensor& tensor : tensors) {
          if (is_nothing(tensor)) continue;
          const std::int64_t size = tensor.sizes()[at];
          result.narrow(along, begin, size).copy_(tensor);
          begin += size;
        }
        return result;
      },
      [&] {
        std::vector<std::pair<Sizes, Dtype>> parts;
        parts.reserve(tensors.size());
        for (const Tensor& tensor : tensors) parts.emplace_back(tensor.sizes(), tensor.dtype());
        return [parts, along](const Tensor& grad, Gradients& gradients) {
          std::int64_t begin = 0;
          for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto& [part, dtype] = parts[i];
            const bool nothing = part == Sizes{0};
            const std::int64_t size = nothing ? 0 : part[static_cast<std::size_t>(along)];
            const Tensor own = grad.narrow(along, begin, size);
            gradients.add(i, [&, type = dtype] { return (nothing ? own.reshape({0}) : own).to(type); });
            begin += size;
          }
        };
      });
}

Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim) {
  check_not_empty("stack", tensors);
  const std::size_t at = wrap_dim("stack", dim, tensors[0].sizes().size() + 1);
  std::vector<Tensor> rows;
  rows.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].sizes() != tensors[0].sizes()) {
      throw TensorError("stack", "tensor " + std::to_string(i),
                        "of the shape of the others, " + to_string(tensors[0].sizes()),
                        "of shape " + to_string(tensors[i].sizes()));
    }
    rows.push_back(tensors[i].unsqueeze(static_cast<std::int64_t>(at)));
  }
  return cat(rows, static_cast<std::int64_t>(at));
}

Tensor hstack(const std::vector<Tensor>& tensors) {
  check_not_empty("hstack", tensors);
  const std::vector<Tensor> parts = prepend_dims(1, tensors);
  return cat(parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(const std::vector<Tensor>& tensors) {
  check_not_empty("vstack", tensors);
  return cat(prepend_dims(2, tensors), 0);
}

std::vector<Tensor> Tensor::split_evenly(std::int64_t split_size, std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("split", "a tensor without dimensions cannot be split");
  const std::int64_t size = this->size(dim);
  if (split_size < 0 || (split_size == 0 && size > 0)) {
    throw TensorError("split", "split_size", "more than 0", std::to_string(split_size));
  }
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  do {
    const std::int64_t length = std::min(split_size, size - begin);
    parts.push_back(narrow(dim, begin, length));
    begin += length;
  } while (begin < size);
  return parts;
}

std::vector<Tensor> Tensor::split(const std::vector<std::int64_t>& split_sizes, std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("split", "a tensor without dimensions cannot be split");
  const std::int64_t size = this->size(dim);
  std::int64_t rest = size;
  bool fits = true;
  for (const std::int64_t part : split_sizes) {
    fits = fits && part >= 0 && part <= rest;
    rest -= fits ? part : 0;
  }
  if (!fits || rest != 0) {
    throw TensorError("split", "split_sizes", "0 or more, and together the size " + std::to_string(size),
                      size_list(split_sizes));
  }
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t part : split_sizes) {
    parts.push_back(narrow(dim, begin, part));
    begin += part;
  }
  return parts;
}

std::vector<Tensor> Tensor::chunk(std::int64_t chunks, std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("chunk", "a tensor without dimensions cannot be taken apart");
  if (chunks <= 0) throw TensorError("chunk", "chunks", "more than 0", std::to_string(chunks));
  const std::int64_t size = this->size(dim);
  if (size == 0) {
    return std::vector<Tensor>(static_cast<std::size_t>(chunks), *this);
  }
  return split((size - 1) / chunks + 1, dim);
}

std::vector<Tensor> Tensor::unbind(std::int64_t dim) const {
  if (sizes().empty()) throw TensorError("unbind", "a tensor without dimensions cannot be taken apart");
  const std::int64_t size = this->size(dim);
  std::vector<Tensor> parts;
  parts.reserve(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) parts.push_back(select(dim, i));
  return parts;
}

}  // namespace lectern
