#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "device/device.h"
#include "kernels/elementwise_table.h"
#include "kernels/reduction_table.h"
#include "tensor/index.h"
#include "tensor/item.h"
#include "tensor/scalar.h"
#include "tensor/sizes.h"
#include "tensor/storage.h"
#include "tensor/tensor_impl.h"

namespace lectern {

class Generator;
class NestedList;
struct UniqueElements;
struct ValuesAndIndices;

namespace autograd {
class Graph;
}  // namespace autograd

/// An n-dimensional array of elements of one dtype: a view of a storage through an offset and strides. A
/// handle, as in PyTorch: a copy is the same tensor; clone() copies the elements.
///
/// Names, shapes, promotion, broadcasting and errors are PyTorch's. Every wrong argument is a TensorError
/// that names the operation. Methods that end in an underscore are in-place, seen through every view of the
/// storage. Views (marked "view") share storage and take O(1) time.
class Tensor {
 public:
  /// An undefined tensor: only defined() and assignment are allowed.
  Tensor() = default;
  /// A view of `storage`; checked to fit in it.
  Tensor(Storage storage, Dtype dtype, const Sizes& sizes, const Sizes& strides,
         std::int64_t storage_offset = 0);

  bool defined() const { return impl_ != nullptr; }

  // Properties.
  std::int64_t dim() const { return static_cast<std::int64_t>(impl().sizes.size()); }
  const Sizes& sizes() const { return impl().sizes; }
  const Sizes& shape() const { return impl().sizes; }
  const Sizes& strides() const { return impl().strides; }
  std::int64_t size(std::int64_t dim) const;
  std::int64_t stride(std::int64_t dim) const;
  std::int64_t storage_offset() const { return impl().offset; }
  std::int64_t numel() const { return impl().numel; }
  Dtype dtype() const { return impl().dtype; }
  Device device() const { return impl().storage.device(); }
  bool is_cuda() const { return device().is_cuda(); }
  bool is_floating_point() const { return lectern::is_floating_point(dtype()); }
  /// Bytes of one element, and of all elements (not of the storage).
  std::int64_t element_size() const { return static_cast<std::int64_t>(lectern::element_size(dtype())); }
  std::int64_t nbytes() const { return numel() * element_size(); }
  bool is_contiguous() const { return impl().contiguous; }
  const Storage& storage() const { return impl().storage; }
  /// The address of the first element; null for an empty tensor.
  void* data_ptr() const;
  /// The same, typed; a TensorError when the dtype is not T's.
  template <typename T>
  T* data() const {
    check_dtype(dtype_of<T>);
    return static_cast<T*>(data_ptr());
  }
  /// The only element, which becomes what it initialises (tensor/item.h); a TensorError when there is not
  /// exactly one. As a T, it is truncated, and a TensorError when it is out of range for an integer type.
  TensorItem item() const;
  template <typename T>
  T item() const;

  /// The elements as nested lists, which tensor() takes (tensor/creation.h); a single value for a tensor
  /// without dimensions. Copies from a GPU.
  NestedList tolist() const;

  // Autograd (autograd/backward.h documents backward).
  /// Whether operations on it are recorded for backward().
  bool requires_grad() const;
  /// A TensorError for a tensor that is not floating, and for a non-leaf.
  const Tensor& requires_grad_(bool requires_grad = true) const;
  /// Whether no recorded operation made it.
  bool is_leaf() const;
  /// The accumulated gradient; undefined before backward(). For a non-leaf, only after retain_grad().
  Tensor grad() const;
  /// Assignable: an undefined tensor clears the gradient.
  Tensor& mutable_grad() const;
  const Tensor& retain_grad() const;
  /// Replaces its storage with that of `data`, which they then share, with its shape, dtype and device, for
  /// all handles of this tensor; `x.data = data` in PyTorch. Its grad() stays; existing views and graphs keep
  /// the old storage. A TensorError for a non-leaf, and where it requires a gradient and `data` is not
  /// floating.
  void set_data(const Tensor& data) const;
  /// The name of the operation that made it; empty for leaves and for tensors without a gradient.
  std::string_view grad_fn() const;
  /// Accumulates into grad() of the leaves of its graph. Without a gradient it must have one element.
  void backward(const Tensor& gradient = {}, bool retain_graph = false) const;

  // Views.
  Tensor operator[](std::int64_t at) const { return select(0, at); }
  /// Over x[0], x[1], …: for (Tensor row : x). A TensorError for a tensor without dimensions.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  /// A copy if an entry is a tensor (ops/index.h).
  Tensor index(std::initializer_list<Index> entries) const;
  Tensor select(std::int64_t dim, std::int64_t at) const;
  Tensor slice(std::int64_t dim, std::optional<std::int64_t> start = {},
               std::optional<std::int64_t> stop = {}, std::int64_t step = 1) const;
  Tensor narrow(std::int64_t dim, std::int64_t start, std::int64_t length) const;
  /// A view, or a TensorError when no strides give this shape. One size may be -1: inferred.
  Tensor view(const Sizes& sizes) const;
  Tensor view_as(const Tensor& other) const { return view(other.sizes()); }
  /// Reinterprets the bytes as another dtype; the last dimension scales with the element size.
  Tensor view(Dtype dtype) const;
  /// A view where one is possible, else a copy.
  Tensor reshape(const Sizes& sizes) const;
  Tensor transpose(std::int64_t dim0, std::int64_t dim1) const;
  /// Of a matrix; fewer dimensions: itself.
  Tensor t() const;
  /// Swaps the last two dimensions.
  Tensor mT() const { return transpose(-2, -1); }
  /// With the dimensions in reverse order; the transpose of a matrix.
  Tensor T() const;
  Tensor permute(const Sizes& dims) const;
  /// Moves the dimensions `source` to the positions `destination`; the others keep their order.
  Tensor movedim(const Sizes& source, const Sizes& destination) const;
  Tensor movedim(std::int64_t source, std::int64_t destination) const;
  /// Repeats sizes of 1 without copying; -1 keeps a size.
  Tensor expand(const Sizes& sizes) const;
  Tensor expand_as(const Tensor& other) const { return expand(other.sizes()); }
  Tensor squeeze() const;
  Tensor squeeze(std::int64_t dim) const;
  Tensor unsqueeze(std::int64_t dim) const;
  Tensor flatten(std::int64_t start_dim = 0, std::int64_t end_dim = -1) const;
  Tensor unflatten(std::int64_t dim, const Sizes& sizes) const;
  /// All windows of `size` elements along `dim`, `step` apart, in a new last dimension. They may overlap.
  Tensor unfold(std::int64_t dim, std::int64_t size, std::int64_t step) const;
  Tensor diagonal(std::int64_t offset = 0, std::int64_t dim1 = 0, std::int64_t dim2 = 1) const;
  Tensor as_strided(const Sizes& sizes, const Sizes& strides,
                    std::optional<std::int64_t> storage_offset = {}) const;
  /// The same storage, detached from the graph.
  Tensor detach() const { return alias(sizes(), strides(), storage_offset()); }
  /// A view unknown to autograd, and unchecked: it must lie inside the storage.
  Tensor alias(const Sizes& sizes, const Sizes& strides, std::int64_t storage_offset) const;

  // Copies.
  Tensor contiguous() const;
  Tensor clone() const;
  /// Copies to page-locked memory, from which a GPU copies asynchronously; itself if already pinned. A
  /// TensorError for a tensor that is not on the CPU, or without a GPU.
  Tensor pin_memory() const;
  bool is_pinned() const;
  /// Itself when nothing changes. Between host and GPU, a `non_blocking` copy from or to pinned memory is
  /// asynchronous: before reading its result or changing its source, the host must wait for an event of the
  /// current stream (device/stream.h).
  Tensor to(Dtype dtype) const;
  Tensor to(Device device, bool non_blocking = false) const;
  Tensor to(Device device, Dtype dtype, bool non_blocking = false) const;
  Tensor cpu() const { return to(lectern::cpu); }
  Tensor cuda() const { return to(Device(Device::Type::cuda)); }
  Tensor to_float() const { return to(float32); }
  Tensor to_double() const { return to(float64); }
  Tensor to_half() const { return to(float16); }
  Tensor to_bfloat16() const { return to(bfloat16); }
  Tensor to_int() const { return to(int32); }
  Tensor to_long() const { return to(int64); }
  Tensor to_bool() const { return to(bool_); }

  // In place.
  /// x[0] = 1: fills the view, as in Python.
  const Tensor& operator=(const Scalar& value) &&;
  /// x[0] = y: copies into the view, as in Python; y may have extra leading dimensions of size 1. (On a
  /// variable, `x = y` makes x the tensor y.)
  const Tensor& operator=(const Tensor& other) &&;
  Tensor& operator=(const Tensor& other) & = default;
  Tensor& operator=(Tensor&& other) & noexcept = default;
  // NOLINTNEXTLINE(performance-noexcept-move-constructor): it copies elements
  const Tensor& operator=(Tensor&& other) && { return std::move(*this) = static_cast<const Tensor&>(other); }
  Tensor(const Tensor& other) = default;
  Tensor(Tensor&& other) noexcept = default;
  ~Tensor() = default;
  const Tensor& copy_(const Tensor& source, bool non_blocking = false) const;
  const Tensor& fill_(const Scalar& value) const;
  const Tensor& zero_() const { return fill_(0); }
  const Tensor& fill_diagonal_(const Scalar& value) const;

  // Elementwise operations (ops/elementwise.h).
#define LECTERN_METHOD(name, Functor, rule, autocast) \
  Tensor name() const;                                \
  const Tensor& name##_() const;
  LECTERN_UNARY_OPERATIONS(LECTERN_METHOD)
#undef LECTERN_METHOD
#define LECTERN_METHOD(name, Functor, rule, autocast) \
  Tensor name(const Tensor& other) const;             \
  Tensor name(const Scalar& other) const;             \
  const Tensor& name##_(const Tensor& other) const;   \
  const Tensor& name##_(const Scalar& other) const;
  LECTERN_BINARY_OPERATIONS(LECTERN_METHOD)
#undef LECTERN_METHOD
  Tensor div(const Tensor& other, std::string_view rounding_mode) const;
  Tensor div(const Scalar& other, std::string_view rounding_mode) const;
  const Tensor& div_(const Tensor& other, std::string_view rounding_mode) const;
  const Tensor& div_(const Scalar& other, std::string_view rounding_mode) const;

  // Of three operands (ops/ternary.h).
  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  Tensor lerp(const Tensor& end, const Scalar& weight) const;
  const Tensor& lerp_(const Tensor& end, const Tensor& weight) const;
  const Tensor& lerp_(const Tensor& end, const Scalar& weight) const;
  Tensor addcmul(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  const Tensor& addcmul_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  Tensor addcdiv(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;
  const Tensor& addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value = 1) const;

  // Selection (ops/selection.h).
  Tensor where(const Tensor& condition, const Tensor& other) const;
  Tensor where(const Tensor& condition, const Scalar& other) const;
  Tensor clamp(const std::optional<Scalar>& min, const std::optional<Scalar>& max = {}) const;
  Tensor clamp(const std::optional<Tensor>& min, const std::optional<Tensor>& max = {}) const;
  const Tensor& clamp_(const std::optional<Scalar>& min, const std::optional<Scalar>& max = {}) const;
  const Tensor& clamp_(const std::optional<Tensor>& min, const std::optional<Tensor>& max = {}) const;
  Tensor masked_fill(const Tensor& mask, const Scalar& value) const;
  Tensor masked_fill(const Tensor& mask, const Tensor& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Scalar& value) const;
  const Tensor& masked_fill_(const Tensor& mask, const Tensor& value) const;
  Tensor nan_to_num(const Scalar& nan = 0, const std::optional<Scalar>& posinf = {},
                    const std::optional<Scalar>& neginf = {}) const;
  const Tensor& nan_to_num_(const Scalar& nan = 0, const std::optional<Scalar>& posinf = {},
                            const std::optional<Scalar>& neginf = {}) const;

  // Reductions (ops/reductions.h, ops/extremum.h); no dims: all of them.
  Tensor sum(std::optional<Dtype> dtype = {}) const;
  Tensor sum(const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {}) const;
  Tensor mean(std::optional<Dtype> dtype = {}) const;
  Tensor mean(const Sizes& dims, bool keepdim = false, std::optional<Dtype> dtype = {}) const;
  Tensor max() const;
  Tensor min() const;

  // More reductions (also ops/nonzero.h) and scans (ops/scan.h).
  ValuesAndIndices max(std::int64_t dim, bool keepdim = false) const;
  ValuesAndIndices min(std::int64_t dim, bool keepdim = false) const;
  Tensor argmax(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<std::int64_t> dim = {}, bool keepdim = false) const;
  Tensor prod(std::optional<Dtype> dtype = {}) const;
  Tensor prod(std::int64_t dim, bool keepdim = false, std::optional<Dtype> dtype = {}) const;
  Tensor var(const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false) const;
  Tensor std(const Sizes& dims = {}, std::int64_t correction = 1, bool keepdim = false) const;
  Tensor count_nonzero(const Sizes& dims = {}) const;
  Tensor norm(double p = 2, const Sizes& dims = {}, bool keepdim = false,
              std::optional<Dtype> dtype = {}) const;
#define LECTERN_METHOD(name) Tensor name(const Sizes& dims = {}, bool keepdim = false) const;
  LECTERN_REDUCTION_FUNCTIONS(LECTERN_METHOD)
#undef LECTERN_METHOD
// A single dimension for a list: mean(0).
#define LECTERN_METHOD(name)                                     \
  template <Dimension D, typename... More>                       \
  Tensor name(D dim, More... more) const {                       \
    return name(Sizes{static_cast<std::int64_t>(dim)}, more...); \
  }
  LECTERN_REDUCTION_FUNCTIONS(LECTERN_METHOD)
  LECTERN_METHOD(sum)
  LECTERN_METHOD(mean)
  LECTERN_METHOD(var)
  LECTERN_METHOD(std)
  LECTERN_METHOD(count_nonzero)
#undef LECTERN_METHOD
#define LECTERN_METHOD(name, Functor, autocast) \
  Tensor name(std::int64_t dim, std::optional<Dtype> dtype = {}) const;
  LECTERN_SCANS(LECTERN_METHOD)
#undef LECTERN_METHOD

  // Order statistics (ops/quantile.h, ops/histogram.h) and sets (ops/unique.h).
  Tensor median() const;
  ValuesAndIndices median(std::int64_t dim, bool keepdim = false) const;
  Tensor quantile(double q, std::optional<std::int64_t> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  Tensor quantile(const Tensor& q, std::optional<std::int64_t> dim = {}, bool keepdim = false,
                  std::string_view interpolation = "linear") const;
  Tensor histc(std::int64_t bins = 100, double min = 0, double max = 0) const;
  UniqueElements unique(bool sorted = true, bool return_inverse = false, bool return_counts = false,
                        std::optional<std::int64_t> dim = {}) const;

  // Softmax (ops/softmax.h).
  Tensor softmax(std::int64_t dim, std::optional<Dtype> dtype = {}) const;
  Tensor log_softmax(std::int64_t dim, std::optional<Dtype> dtype = {}) const;

  // Matrices (ops/matmul.h, ops/linear.h, ops/triangle.h).
  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& other) const;
  Tensor baddbmm(const Tensor& batch1, const Tensor& batch2, const Scalar& beta = 1,
                 const Scalar& alpha = 1) const;
  Tensor diag(std::int64_t diagonal = 0) const;
  Tensor triu(std::int64_t diagonal = 0) const;
  Tensor tril(std::int64_t diagonal = 0) const;

  // Comparison (ops/compare.h).
  /// Same shape and equal elements; NaN equals nothing.
  bool equal(const Tensor& other) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false) const;

  // Indexing (ops/index.h, ops/index_writes.h, ops/gather.h, ops/scatter_reduce.h, ops/nonzero.h).
  const Tensor& index_put_(std::initializer_list<Index> entries, const Tensor& values,
                           bool accumulate = false) const;
  const Tensor& index_put_(std::initializer_list<Index> entries, const Scalar& value,
                           bool accumulate = false) const;
  Tensor index_select(std::int64_t dim, const Tensor& index) const;
  Tensor index_add(std::int64_t dim, const Tensor& index, const Tensor& source,
                   const Scalar& alpha = 1) const;
  const Tensor& index_add_(std::int64_t dim, const Tensor& index, const Tensor& source,
                           const Scalar& alpha = 1) const;
  Tensor gather(std::int64_t dim, const Tensor& index) const;
  Tensor scatter(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor scatter(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  Tensor scatter_add(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  const Tensor& scatter_(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  const Tensor& scatter_add_(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor scatter_reduce(std::int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
                        bool include_self = true) const;
  const Tensor& scatter_reduce_(std::int64_t dim, const Tensor& index, const Tensor& source,
                                std::string_view reduce, bool include_self = true) const;
  Tensor index_fill(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  Tensor index_fill(std::int64_t dim, const Tensor& index, const Tensor& value) const;
  const Tensor& index_fill_(std::int64_t dim, const Tensor& index, const Scalar& value) const;
  const Tensor& index_fill_(std::int64_t dim, const Tensor& index, const Tensor& value) const;
  Tensor index_copy(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  const Tensor& index_copy_(std::int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  const Tensor& masked_scatter_(const Tensor& mask, const Tensor& source) const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor nonzero() const;
  Tensor argwhere() const;

  // Splitting (ops/join.h): views.
  template <std::integral T>
  std::vector<Tensor> split(T split_size, std::int64_t dim = 0) const {
    return split_evenly(static_cast<std::int64_t>(split_size), dim);
  }
  std::vector<Tensor> split(const std::vector<std::int64_t>& split_sizes, std::int64_t dim = 0) const;
  std::vector<Tensor> chunk(std::int64_t chunks, std::int64_t dim = 0) const;
  std::vector<Tensor> unbind(std::int64_t dim = 0) const;

  // Rearranging (ops/repeat.h, ops/flip.h, ops/sort.h).
  Tensor repeat(const Sizes& repeats) const;
  Tensor tile(const Sizes& repeats) const;
  Tensor repeat_interleave(std::int64_t repeats, std::optional<std::int64_t> dim = {}) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<std::int64_t> dim = {}) const;
  Tensor flip(const Sizes& dims) const;
  Tensor roll(const Sizes& shifts, const Sizes& dims = {}) const;
  Tensor argsort(std::int64_t dim = -1, bool descending = false, bool stable = false) const;

  // Random (ops/random.h); without a generator, the device's default one.
  const Tensor& uniform_(double from = 0, double to = 1, Generator* generator = nullptr) const;
  const Tensor& normal_(double mean = 0, double std = 1, Generator* generator = nullptr) const;
  const Tensor& bernoulli_(double p = 0.5, Generator* generator = nullptr) const;
  const Tensor& bernoulli_(const Tensor& p, Generator* generator = nullptr) const;
  const Tensor& random_(Generator* generator = nullptr) const;
  const Tensor& random_(std::int64_t to, Generator* generator = nullptr) const;
  const Tensor& random_(std::int64_t from, std::int64_t to, Generator* generator = nullptr) const;
  const Tensor& exponential_(double lambda = 1, Generator* generator = nullptr) const;

  /// Whether two handles are the same tensor (not: equal elements).
  bool is_same(const Tensor& other) const {
    return impl_ == other.impl_;
  }

 private:
  std::vector<Tensor> split_evenly(std::int64_t split_size, std::int64_t dim) const;

  using Impl = TensorImpl;
  friend class autograd::Graph;

  [[noreturn]] static void throw_item_out_of_range(const Scalar& value);

  Impl& impl() const {
    if (impl_ == nullptr) undefined();
    return *impl_;
  }
  [[noreturn]] static void undefined();
  void check_dtype(Dtype wanted) const;

  std::shared_ptr<Impl> impl_;
};

}  // namespace lectern

#include "tensor/tensor_inline.h"  // IWYU pragma: export
