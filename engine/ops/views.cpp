// Views: the gradient goes back to the base through the inverse view.
#include <algorithm>

#include "autograd/gradient_sums.h"
#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "ops/reductions.h"
#include "tensor/layout.h"
#include "tensor/tensor.h"

namespace lectern {
namespace {

using autograd::record_view;

/// `x` in another shape, with the same order in memory.
Tensor reshaped(std::string_view operation, const Tensor& x, const Sizes& sizes, const Sizes& strides) {
  return record_view(operation, x, x.alias(sizes, strides, x.storage_offset()),
                     [&] { return [sizes = x.sizes()](const Tensor& grad) { return grad.reshape(sizes); }; });
}

/// The sizes with one -1 inferred from `numel`.
Sizes inferred_sizes(std::string_view operation, const Sizes& sizes, std::int64_t numel, const Sizes& from) {
  Sizes result;  // element-wise: copying as a whole would stall on recent stores
  std::optional<std::size_t> open;
  std::int64_t known = 1;
  bool fits = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    result.push_back(sizes[i]);
    if (sizes[i] == -1) {
      if (open) throw TensorError(operation, "only one size can be -1, not two as in " + to_string(sizes));
      open = i;
    } else if (sizes[i] < 0) {
      throw TensorError(operation, "every size", "0 or more, or -1", to_string(sizes));
    } else {
      fits = !__builtin_mul_overflow(known, sizes[i], &known) && fits;
    }
  }
  if (open) {
    if (fits && known == 0) {
      throw TensorError(operation,
                        "the size -1 in " + to_string(sizes) + " could be anything, as another one is 0");
    }
    fits = fits && numel % known == 0;
    if (fits) result[*open] = numel / known;
  } else {
    fits = fits && known == numel;
  }
  if (!fits) {
    throw TensorError(operation, "shape " + to_string(from) + " has " + with_noun(numel, "element") +
                                     " and cannot become " + to_string(sizes));
  }
  return result;
}

/// The strides that view x, possibly with gaps, as `target`, of equally many elements; empty if impossible.
/// Dimensions that share one stride in memory form a chunk; the target's dimensions must fill each chunk
/// exactly.
std::optional<Sizes> view_strides(const Tensor& x, const Sizes& target) {
  if (x.is_contiguous()) return contiguous_strides(target);
  const Sizes &sizes = x.sizes(), &strides = x.strides();
  std::optional<Sizes> result = Sizes::filled(target.size(), 1);
  std::size_t open = target.size();
  for (std::size_t from = sizes.size(); from > 0;) {
    const std::int64_t stride = strides[from - 1];
    std::int64_t chunk = sizes[--from];
    while (from > 0 && (sizes[from - 1] == 1 || strides[from - 1] == stride * chunk)) chunk *= sizes[--from];
    std::int64_t filled = 1;
    for (; open > 0 && (filled < chunk || target[open - 1] == 1); --open) {
      (*result)[open - 1] = stride * filled;
      filled *= target[open - 1];
    }
    if (filled != chunk) return {};
  }
  return result;
}

}  // namespace

Tensor Tensor::view(const Sizes& sizes) const {
  const Sizes target = inferred_sizes("view", sizes, numel(), shape());
  const std::optional<Sizes> strides = view_strides(*this, target);
  if (!strides) {
    throw TensorError("view", "shape " + to_string(shape()) + " with strides " + to_string(this->strides()) +
                                  " cannot be seen as " + to_string(target) +
                                  " without copying; use reshape(), or contiguous() before view()");
  }
  return reshaped("view", *this, target, *strides);
}

Tensor Tensor::reshape(const Sizes& sizes) const {
  const Sizes target = inferred_sizes("reshape", sizes, numel(), shape());
  if (const std::optional<Sizes> strides = view_strides(*this, target))
    return reshaped("reshape", *this, target, *strides);
  return contiguous().view(target);
}

Tensor Tensor::view(Dtype dtype) const {
  if (dtype == bool_ && this->dtype() != bool_) {
    throw TensorError("view", "elements of " + std::string(name(this->dtype())) +
                                  " cannot be seen as bool: other bytes than 0 and 1 are no bool; use ne(0) "
                                  "or to(bool_)");
  }
  const std::int64_t from = element_size();
  const std::int64_t to = lectern::element_size(dtype);
  Sizes sizes = shape();
  Sizes strides = this->strides();
  std::int64_t offset = storage_offset();
  if (from != to) {
    const auto refuse = [&](std::string_view why) {
      throw TensorError("view", "shape " + to_string(shape()) + " of " + std::string(name(this->dtype())) +
                                    " cannot be seen as " + std::string(name(dtype)) + ": " +
                                    std::string(why));
    };
    if (sizes.empty()) refuse("it has no last dimension that could grow or shrink");
    if (strides.back() != 1) refuse("the stride of the last dimension is not 1");
    const std::int64_t ratio = std::max(from, to) / std::min(from, to);
    const bool grows = to < from;
    const std::size_t last = sizes.size() - 1;
    const auto scale = [&](std::int64_t value, std::string_view what) {
      if (grows) return value * ratio;
      if (value % ratio != 0) refuse(std::string(what) + " is not divisible by " + std::to_string(ratio));
      return value / ratio;
    };
    for (std::size_t i = 0; i < last; ++i) strides[i] = scale(strides[i], "a stride");
    sizes[last] = scale(sizes[last], "the last size");
    offset = scale(offset, "the storage offset");
  }
  return Tensor(storage(), dtype, sizes, strides, offset);
}

Tensor Tensor::transpose(std::int64_t dim0, std::int64_t dim1) const {
  const std::size_t a = wrap_dim("transpose", dim0, shape().size());
  const std::size_t b = wrap_dim("transpose", dim1, shape().size());
  Sizes sizes = shape();
  Sizes strides = this->strides();
  std::swap(sizes[a], sizes[b]);
  std::swap(strides[a], strides[b]);
  return record_view("transpose", *this, alias(sizes, strides, storage_offset()),
                     [=] { return [=](const Tensor& grad) { return grad.transpose(dim0, dim1); }; });
}

Tensor Tensor::t() const {
  if (dim() > 2) {
    throw TensorError("t", "the tensor", "of at most 2 dimensions", "of shape " + to_string(shape()));
  }
  return transpose(0, dim() < 2 ? 0 : 1);
}

Tensor Tensor::permute(const Sizes& dims) const {
  if (dims.size() != shape().size()) {
    throw TensorError("permute", "dims", "an order of the " + with_noun(dim(), "dimension"), to_string(dims));
  }
  Sizes sizes;
  Sizes strides;
  Sizes seen = Sizes::filled(dims.size(), 0);
  Sizes back = seen;
  for (const std::int64_t entry : dims) {
    const std::size_t from = wrap_dim("permute", entry, dims.size());
    if (seen[from]++ != 0) throw TensorError("permute", "dims", "all different", to_string(dims));
    sizes.push_back(shape()[from]);
    strides.push_back(this->strides()[from]);
    back[from] = static_cast<std::int64_t>(sizes.size()) - 1;
  }
  return record_view("permute", *this, alias(sizes, strides, storage_offset()),
                     [&] { return [back](const Tensor& grad) { return grad.permute(back); }; });
}

Tensor Tensor::expand(const Sizes& sizes) const {
  const auto refuse = [&](const std::string& why) {
    throw TensorError("expand",
                      "shape " + to_string(shape()) + " cannot become " + to_string(sizes) + ": " + why);
  };
  if (sizes.size() < shape().size()) refuse("it has more dimensions");
  const std::size_t lead = sizes.size() - shape().size();
  Sizes target = sizes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i < lead) {
      if (sizes[i] < 0) refuse("a new dimension needs a size");
      continue;
    }
    const std::int64_t own = shape()[i - lead];
    if (sizes[i] == -1) {
      target[i] = own;
    } else if (sizes[i] < 0 || (sizes[i] != own && own != 1)) {
      refuse("only sizes of 1 can be repeated");
    }
  }
  checked_numel("expand", target);
  return record_view("expand", *this,
                     alias(target, expanded_strides(shape(), strides(), target), storage_offset()),
                     [&] { return [sizes = shape()](const Tensor& grad) { return sum_to(grad, sizes); }; });
}

Tensor Tensor::squeeze() const {
  Sizes sizes;
  Sizes strides;
  for (std::size_t i = 0; i < shape().size(); ++i) {
    if (shape()[i] == 1) continue;
    sizes.push_back(shape()[i]);
    strides.push_back(this->strides()[i]);
  }
  return reshaped("squeeze", *this, sizes, strides);
}

Tensor Tensor::squeeze(std::int64_t dim) const {
  const std::size_t at = wrap_dim("squeeze", dim, shape().size());
  Sizes sizes = shape();
  Sizes strides = this->strides();
  if (!sizes.empty() && sizes[at] == 1) {
    sizes.erase(at);
    strides.erase(at);
  }
  return reshaped("squeeze", *this, sizes, strides);
}

Tensor Tensor::unsqueeze(std::int64_t dim) const {
  const std::size_t at = wrap_dim("unsqueeze", dim, shape().size() + 1);
  Sizes sizes = shape();
  Sizes strides = this->strides();
  const std::int64_t stride = at < sizes.size() ? sizes[at] * strides[at] : 1;
  sizes.insert(at, 1);
  strides.insert(at, stride);
  return reshaped("unsqueeze", *this, sizes, strides);
}

Tensor Tensor::flatten(std::int64_t start_dim, std::int64_t end_dim) const {
  const std::size_t start = wrap_dim("flatten", start_dim, shape().size());
  const std::size_t end = wrap_dim("flatten", end_dim, shape().size());
  if (start > end) {
    throw TensorError("flatten", "start_dim", "at most end_dim, " + std::to_string(end_dim),
                      std::to_string(start_dim));
  }
  if (shape().empty()) return reshape({1});
  if (start == end) return *this;
  Sizes sizes = shape();
  for (std::size_t dim = start; dim < end; ++dim) {
    sizes[start] *= sizes[start + 1];
    sizes.erase(start + 1);
  }
  return reshape(sizes);
}

Tensor Tensor::unflatten(std::int64_t dim, const Sizes& sizes) const {
  if (shape().empty()) throw TensorError("unflatten", "a tensor without dimensions has none to take apart");
  if (sizes.empty()) throw TensorError("unflatten", "sizes", "one or more", "none");
  const std::size_t at = wrap_dim("unflatten", dim, shape().size());
  const Sizes parts = inferred_sizes("unflatten", sizes, shape()[at], {shape()[at]});
  Sizes target = shape(), target_strides = strides();
  std::int64_t stride = target_strides[at];
  target.erase(at);
  target_strides.erase(at);
  for (std::size_t i = parts.size(); i-- > 0;) {
    target.insert(at, parts[i]);
    target_strides.insert(at, stride);
    stride *= parts[i];
  }
  return reshaped("unflatten", *this, target, target_strides);
}

Tensor Tensor::diagonal(std::int64_t offset, std::int64_t dim1, std::int64_t dim2) const {
  const std::size_t row = wrap_dim("diagonal", dim1, shape().size());
  const std::size_t column = wrap_dim("diagonal", dim2, shape().size());
  if (row == column) throw TensorError("diagonal", "dim1 and dim2", "different", std::to_string(dim1));
  // Outside the matrix the diagonal is empty.
  const std::int64_t start_row = offset < 0 ? std::min(-std::max(offset, -shape()[row]), shape()[row]) : 0;
  const std::int64_t start_column = offset > 0 ? std::min(offset, shape()[column]) : 0;
  const std::int64_t length =
      std::max<std::int64_t>(0, std::min(shape()[row] - start_row, shape()[column] - start_column));
  const std::int64_t start = length == 0 ? 0 : start_row * strides()[row] + start_column * strides()[column];
  Sizes sizes = shape(), diagonal_strides = strides();
  for (const std::size_t dim : {std::max(row, column), std::min(row, column)}) {
    sizes.erase(dim);
    diagonal_strides.erase(dim);
  }
  sizes.push_back(length);
  diagonal_strides.push_back(strides()[row] + strides()[column]);
  return autograd::record_part(
      "diagonal", *this, alias(sizes, diagonal_strides, storage_offset() + start),
      [offset, dim1, dim2](const Tensor& whole) { return whole.diagonal(offset, dim1, dim2); });
}

Tensor Tensor::as_strided(const Sizes& sizes, const Sizes& strides,
                          std::optional<std::int64_t> storage_offset) const {
  checked_numel("as_strided", sizes);
  const std::int64_t offset = storage_offset.value_or(this->storage_offset());
  check_layout("as_strided", storage(), dtype(), sizes, strides, offset);
  const Tensor view = alias(sizes, strides, offset);
  return record_view("as_strided", *this, view, [&] {
    return [from = autograd::Layout(*this), at = autograd::Layout(view)](const Tensor& grad) {
      return autograd::base_gradient(from, at, grad);
    };
  });
}

}  // namespace lectern
