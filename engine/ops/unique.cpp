#include "ops/unique.h"

#include "autograd/grad_mode.h"
#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/nonzero.h"
#include "ops/scan.h"
#include "ops/sort.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr std::string_view kUnique = "unique";

/// Slices along the first dimension in ascending order, [slices, elements of each].
struct SortedSlices {
  Tensor slices;
  Tensor order;  ///< where they were
};

SortedSlices sort_slices(const Tensor& slices) {
  std::int64_t at = slices.size(1) - 1;
  Tensor order = argsort(slices.select(1, at));
  while (at-- > 0) order = index_select(order, 0, argsort(index_select(slices.select(1, at), 0, order)));
  return {index_select(slices, 0, order), order};
}

/// Slices whose dimension comes first, as the rows of a matrix.
Tensor slice_rows(const Tensor& x, std::int64_t dim) {
  const Tensor first = x.movedim(dim, 0);
  const std::int64_t count = first.size(0);
  if (count > 0 && x.numel() == 0)
    throw TensorError(kUnique, "the other dimensions", "of size 1 or more", to_string(x.sizes()));
  return first.reshape({count, count == 0 ? 1 : x.numel() / count});
}

}  // namespace

UniqueElements unique(const Tensor& x, bool /*sorted*/, bool return_inverse, bool return_counts,
                      std::optional<std::int64_t> dim) {
  const NoGradGuard no_grad;
  const Tensor rows = dim ? slice_rows(x.detach(), *dim) : x.detach().reshape({-1, 1});
  const auto [slices, order] = sort_slices(rows);
  const std::int64_t size = slices.size(0);
  const TensorOptions index_options{.dtype = int64, .device = x.device()};
  const Tensor begins = ones({size}, {.dtype = bool_, .device = x.device()});
  if (size > 1) begins.slice(0, 1).copy_((slices.slice(0, 1) != slices.slice(0, 0, size - 1)).any({1}));
  const Tensor starts = nonzero(begins).select(1, 0);
  UniqueElements result;
  result.values = index_select(slices, 0, starts);
  if (dim) {
    Sizes sizes = x.movedim(*dim, 0).sizes();
    sizes[0] = starts.numel();
    result.values = result.values.reshape(sizes).movedim(0, *dim).contiguous();
  } else {
    result.values = result.values.view({-1});
  }
  if (return_inverse) {
    result.inverse_indices = empty({size}, index_options);
    result.inverse_indices.scatter_(0, order, cumsum(begins, 0).sub_(1));
    if (!dim) result.inverse_indices = result.inverse_indices.view(x.sizes());
  }
  if (return_counts)
    result.counts =
        cat({starts.slice(0, 1), full({starts.numel() > 0 ? 1 : 0}, size, index_options)}) - starts;
  return result;
}

UniqueElements Tensor::unique(bool sorted, bool return_inverse, bool return_counts,
                              std::optional<std::int64_t> dim) const {
  return lectern::unique(*this, sorted, return_inverse, return_counts, dim);
}

}  // namespace lectern
