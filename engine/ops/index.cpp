#include "ops/index.h"

#include <algorithm>
#include <string>
#include <vector>

#include "autograd/record.h"
#include "base/noun.h"
#include "base/tensor_error.h"
#include "ops/devices.h"
#include "ops/dims.h"
#include "ops/elementwise.h"
#include "ops/index_access.h"
#include "ops/nonzero.h"
#include "ops/reductions.h"
#include "tensor/creation.h"
#include "tensor/layout.h"
#include "tensor/overlap.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

/// An int64 tensor of positions in one dimension of a view.
struct IndexedBy {
  std::size_t dim;
  Tensor index;
};

/// An index resolved for a tensor.
class Access {
 public:
  Access(std::string_view operation, const Tensor& x, std::span<const Index> entries)
      : operation_(operation), view_(x) {
    const std::int64_t used = count_used(entries);
    std::int64_t at = 0;
    for (const Index& entry : entries) {
      switch (entry.kind()) {
        case Index::Kind::integer:
          view_ = view_.select(at, entry.at());
          break;
        case Index::Kind::slice:
          view_ = view_.slice(at++, entry.slice().start, entry.slice().stop, entry.slice().step);
          break;
        case Index::Kind::new_dimension:
          view_ = view_.unsqueeze(at++);
          break;
        case Index::Kind::rest:
          at += x.dim() - used;
          break;
        case Index::Kind::tensor:
          at = add_tensor(at, entry.tensor());
          break;
      }
    }
    if (!indexed_.empty()) broadcast();
  }

  /// Whether the result is a view.
  bool is_view() const { return indexed_.empty(); }
  const Tensor& view() const { return view_; }

  /// Of the result.
  Sizes sizes() const { return insert_positions(rest_sizes_, positions_); }

  Tensor read() const {
    const Sizes strides = insert_positions(rest_strides_, Sizes::filled(positions_.size(), 0));
    const Tensor from = view_.as_strided(sizes(), strides, view_.storage_offset());
    if (indexed_.size() > 1)
      return take(operation_, from, spread(offsets().offsets()), kernels::kElementOffsets);
    return take(operation_, from, spread(indexed_[0].index), indexed_dim(indexed_[0]));
  }

  /// `values` has the result's shape.
  void write(const Tensor& values, bool accumulate) const {
    if (values.numel() == 0) return;
    Sizes order;  // the positions first
    for (std::size_t d = 0; d < positions_.size(); ++d)
      order.push_back(static_cast<std::int64_t>(before_ + d));
    for (std::size_t d = 0; d < values.sizes().size(); ++d) {
      if (d < before_ || d >= before_ + positions_.size()) order.push_back(static_cast<std::int64_t>(d));
    }
    const Tensor target = view_.as_strided(rest_sizes_, rest_strides_, view_.storage_offset());
    lectern::write(operation_, target, values.permute(order), offsets(), accumulate);
  }

 private:
  /// The number of dimensions that the entries consume.
  std::int64_t count_used(std::span<const Index> entries) const {
    std::int64_t used = 0;
    int ellipses = 0;
    for (const Index& entry : entries) {
      used += entry.kind() == Index::Kind::integer || entry.kind() == Index::Kind::slice ? 1 : 0;
      ellipses += entry.kind() == Index::Kind::rest ? 1 : 0;
      if (entry.kind() == Index::Kind::tensor) {
        used += entry.tensor().dtype() == bool_ ? entry.tensor().dim() : 1;
      }
    }
    if (ellipses > 1) throw TensorError(operation_, "only one ellipsis can stand in an index");
    if (used > view_.dim()) {
      throw TensorError(operation_, with_noun(used, "entry is", "entries are") + " too many for shape " +
                                        to_string(view_.shape()));
    }
    return used;
  }

  /// Returns the view's dimension for the next entry.
  std::int64_t add_tensor(std::int64_t at, const Tensor& entry) {
    check_same_device(operation_, view_, entry);
    if (entry.dtype() == bool_) return add_mask(at, entry);
    if (entry.dtype() != int64) {
      throw TensorError(operation_, "the dtype of an index", "int64 or bool", name(entry.dtype()));
    }
    if (entry.dim() == 0) {
      view_ = view_.select(at, entry.item<std::int64_t>());
      return at;
    }
    indexed_.push_back({static_cast<std::size_t>(at), entry});
    return at + 1;
  }

  std::int64_t add_mask(std::int64_t at, const Tensor& mask) {
    if (mask.dim() == 0) {  // a 0-d mask selects everything once or nothing
      view_ = view_.unsqueeze(at);
      indexed_.push_back({static_cast<std::size_t>(at), nonzero(mask.unsqueeze(0)).select(1, 0)});
      return at + 1;
    }
    for (std::int64_t d = 0; d < mask.dim(); ++d) {
      if (mask.size(d) == view_.size(at + d)) continue;
      throw TensorError(operation_, "a mask of shape " + to_string(mask.shape()) +
                                        " does not fit the dimensions from " + std::to_string(at) +
                                        " on of shape " + to_string(view_.shape()));
    }
    for (const Tensor& positions : nonzero(mask).unbind(1)) {
      indexed_.push_back({static_cast<std::size_t>(at++), positions});
    }
    return at;
  }

  /// Broadcasts the index tensors, and collects the view's remaining dimensions.
  void broadcast() {
    for (const IndexedBy& by : indexed_) {
      positions_ = broadcast_sizes(operation_, positions_, by.index.sizes());
    }
    bool neighbours = true;
    for (std::size_t i = 0; i < indexed_.size(); ++i) {
      IndexedBy& by = indexed_[i];
      check_inside(operation_, by.index, -view_.sizes()[by.dim], view_.sizes()[by.dim]);
      by.index = by.index.expand(positions_);
      neighbours = neighbours && by.dim == indexed_[0].dim + i;
    }
    before_ = neighbours ? indexed_[0].dim : 0;
    rest_sizes_ = view_.sizes();
    rest_strides_ = view_.strides();
    for (std::size_t i = indexed_.size(); i-- > 0;) {
      rest_sizes_.erase(indexed_[i].dim);
      rest_strides_.erase(indexed_[i].dim);
    }
  }

  kernels::IndexedDim indexed_dim(const IndexedBy& by) const {
    return {view_.sizes()[by.dim], view_.strides()[by.dim]};
  }

  ElementOffsets offsets() const {
    ElementOffsets offsets(operation_, positions_, Sizes::filled(positions_.size(), 0), view_.device());
    for (const IndexedBy& by : indexed_) offsets.add(by.index, indexed_dim(by));
    return offsets;
  }

  /// Inserts the positions' entries among those of the other dimensions.
  Sizes insert_positions(const Sizes& rest, const Sizes& positions) const {
    Sizes result = rest;
    for (std::size_t d = 0; d < positions.size(); ++d) result.insert(before_ + d, positions[d]);
    return result;
  }

  /// Something of the positions' shape, broadcast over the result's other dimensions.
  Tensor spread(const Tensor& index) const {
    const Sizes repeated = Sizes::filled(rest_sizes_.size(), 0);
    return index.as_strided(sizes(), insert_positions(repeated, index.strides()), index.storage_offset());
  }

  std::string_view operation_;
  Tensor view_;
  std::vector<IndexedBy> indexed_;
  Sizes positions_;         ///< the broadcast shape of the index tensors
  std::size_t before_ = 0;  ///< the result's dimensions before those
  Sizes rest_sizes_;        ///< of the view without the indexed dimensions
  Sizes rest_strides_;
};

/// Slice() for the preceding dimensions, then the index.
std::vector<Index> dim_index(std::size_t dim, const Tensor& index) {
  std::vector<Index> entries(dim, Slice());
  entries.emplace_back(index);
  return entries;
}

/// The argument of index_select and index_add.
Tensor checked_index(std::string_view operation, const Tensor& x, std::size_t dim, const Tensor& index) {
  check_same_device(operation, x, index);
  if (index.dim() > 1) {
    throw TensorError(operation, "index", "of one dimension", "of shape " + to_string(index.sizes()));
  }
  const Tensor positions = at_least_one_dim(as_index(operation, index));
  check_inside(operation, positions, 0, x.sizes()[dim]);
  return positions;
}

/// Whether the index has exactly one tensor, a mask.
bool has_one_mask(std::span<const Index> entries) {
  int masks = 0;
  for (const Index& entry : entries) {
    if (entry.kind() != Index::Kind::tensor) continue;
    if (entry.tensor().dtype() != bool_) return false;
    ++masks;
  }
  return masks == 1;
}

/// An index, whose tensors are saved for a gradient.
class SavedIndex {
 public:
  explicit SavedIndex(std::span<const Index> entries) {
    for (const Index& entry : entries) {
      const bool is_tensor = entry.kind() == Index::Kind::tensor;
      entries_.push_back(is_tensor ? Index(none) : entry);
      tensors_.push_back(is_tensor ? Saved(entry.tensor()) : Saved());
    }
  }

  std::vector<Index> get() const {
    std::vector<Index> entries = entries_;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (const Tensor saved = tensors_[i].get(); saved.defined()) entries[i] = saved;
    }
    return entries;
  }

 private:
  std::vector<Index> entries_;
  std::vector<Saved> tensors_;
};

/// A copy with zeros at the indexed positions.
Tensor clear_indexed(const Tensor& x, std::span<const Index> entries) {
  const Tensor copy = x.clone();
  index_put_(copy, entries, zeros({}, {.dtype = x.dtype(), .device = x.device()}));
  return copy;
}

Tensor index_backward(const Tensor& grad, const Sizes& sizes, const std::vector<Index>& entries) {
  const Tensor result = zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()});
  index_put_(result, entries, grad, true);
  return result;
}

Tensor index_select_backward(const Tensor& grad, const Sizes& sizes, std::int64_t dim, const Tensor& index) {
  return zeros(sizes, {.dtype = grad.dtype(), .device = grad.device()}).index_add_(dim, index, grad);
}

}  // namespace

Tensor index(const Tensor& x, std::span<const Index> entries) {
  const bool has_tensor = std::any_of(entries.begin(), entries.end(), [](const Index& entry) {
    return entry.kind() == Index::Kind::tensor &&
           (entry.tensor().dim() > 0 || entry.tensor().dtype() == bool_);
  });
  const auto read = [&] {
    const Access access("index", x, entries);
    return access.is_view() ? access.view() : access.read();
  };
  if (!has_tensor) return read();
  return autograd::recorded("index", {&x}, read, [&] {
    return [sizes = x.sizes(), saved = SavedIndex(entries)](const Tensor& grad, Gradients& gradients) {
      gradients.add(0, [&] { return index_backward(grad, sizes, saved.get()); });
    };
  });
}

const Tensor& index_put_(const Tensor& x, std::span<const Index> entries, const Tensor& values,
                         bool accumulate) {
  const Access access("index_put_", x, entries);
  check_same_device("index_put_", x, values);
  const Sizes sizes = access.is_view() ? access.view().sizes() : access.sizes();
  Tensor fitting = assigned(values, sizes.size());
  if (!accumulate && fitting.numel() == 1 && has_one_mask(entries)) fitting = fitting.to(x.dtype());
  if (!access.is_view()) check_same_dtype("index_put_", "values", x, fitting);
  if (sizes != fitting.sizes() && broadcast_sizes("index_put_", sizes, fitting.sizes()) != sizes) {
    throw TensorError("index_put_", "values of shape " + to_string(fitting.sizes()) +
                                        " do not fit what is indexed, of shape " + to_string(sizes));
  }
  if (access.is_view()) {
    if (accumulate) {
      access.view().add_(fitting);
    } else {
      access.view().copy_(fitting);
    }
    return x;
  }
  return autograd::changed(
      "index_put_", x, {&x, &fitting},
      [&] {
        check_writable("index_put_", access.view());
        access.write(
            without_overlap("index_put_", access.view(), fitting, Writes::in_any_order).expand(sizes),
            accumulate);
      },
      [&] {
        return [saved = SavedIndex(entries), accumulate, given = fitting.sizes()](const Tensor& grad,
                                                                                  Gradients& gradients) {
          const std::vector<Index> at = saved.get();
          gradients.add(0, [&] { return accumulate ? grad : clear_indexed(grad, at); });
          gradients.add(1, [&] { return sum_to(index(grad, at), given); });
        };
      });
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != bool_) throw TensorError("masked_select", "mask", "of bool", name(mask.dtype()));
  const Sizes sizes = broadcast_sizes("masked_select", x.sizes(), mask.sizes());
  const Index entry = mask.expand(sizes);
  return index(x.expand(sizes), {&entry, 1});
}

Tensor index_select(const Tensor& x, std::int64_t dim, const Tensor& index) {
  return autograd::recorded(
      "index_select", {&x},
      [&] {
        const Tensor from = at_least_one_dim(x);
        const std::size_t at = wrap_dim("index_select", dim, from.sizes().size());
        const Tensor positions = checked_index("index_select", from, at, index);
        Sizes sizes = from.sizes();
        Sizes strides = from.strides();
        Sizes index_strides = Sizes::filled(sizes.size(), 0);
        const kernels::IndexedDim indexed{sizes[at], strides[at]};
        sizes[at] = positions.numel();
        strides[at] = 0;
        index_strides[at] = positions.strides()[0];
        const Tensor selected =
            take("index_select", from.as_strided(sizes, strides, from.storage_offset()),
                 positions.as_strided(sizes, index_strides, positions.storage_offset()), indexed);
        return x.dim() == 0 ? selected.squeeze(0) : selected;
      },
      [&] { return autograd::formula(index_select_backward, x.sizes(), dim, Saved(index)); });
}

Tensor index_add(const Tensor& x, std::int64_t dim, const Tensor& index, const Tensor& source,
                 const Scalar& alpha) {
  return contiguous_clone(x).index_add_(dim, index, source, alpha);
}

const Tensor& Tensor::index_put_(std::initializer_list<Index> entries, const Scalar& value,
                                 bool accumulate) const {
  check_in_range("index_put_", value, dtype());
  return lectern::index_put_(*this, entries, full({}, value, {.dtype = dtype(), .device = device()}),
                             accumulate);
}

const Tensor& Tensor::index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                                 const Scalar& alpha) const {
  const Tensor target = at_least_one_dim(*this);
  const std::size_t at = wrap_dim("index_add_", dim, target.sizes().size());
  check_same_device("index_add_", *this, source);
  check_same_dtype("index_add_", "source", *this, source);
  Sizes expected = target.sizes();
  expected[at] = index.numel();
  const Tensor terms = at_least_one_dim(source);
  if (terms.sizes() != expected) {
    throw TensorError("index_add_", "source", "of shape " + to_string(expected), to_string(source.sizes()));
  }
  // Last, since on a GPU a wrong index is reported later.
  const Tensor positions = checked_index("index_add_", target, at, index);
  // As in PyTorch, integer tensors take an integer factor.
  const Scalar factor = is_floating_point() || !alpha.is_real() ? alpha : Scalar(alpha.to_int64());
  const bool as_is = !factor.is_boolean() && factor.to_double() == 1;
  return autograd::changed(
      "index_add_", *this, {this, &source},
      [&] {
        // Of bools and a number, the product is a number.
        lectern::index_put_(target, dim_index(at, positions), as_is ? terms : terms.mul(factor).to(dtype()),
                            true);
      },
      [&] {
        return [dim, index = Saved(index), sizes = source.sizes(), alpha, as_is](const Tensor& grad,
                                                                                 Gradients& gradients) {
          gradients.add(0, [&] { return grad; });
          gradients.add(1, [&] {
            const Tensor read = grad.index_select(dim, index.get()).reshape(sizes);
            return as_is ? read : read.mul(alpha);
          });
        };
      });
}

}  // namespace lectern
