#include "tensor/elements.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/histogram.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "tensor/array.h"
#include "tensor/copy.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

/// The tensor on the CPU, in memory outside the allocator. From a GPU, its whole extent is copied, gaps
/// included, so that nothing is allocated there either.
Tensor on_host(const Tensor& tensor) {
  if (tensor.device().is_cpu() || tensor.numel() == 0) return tensor;
  const std::int64_t run = extent(tensor.sizes(), tensor.strides()).value();
  const std::int64_t nbytes = run * tensor.element_size();
  void* const data = std::malloc(static_cast<std::size_t>(nbytes));
  if (data == nullptr) {
    throw TensorError("read_elements", "no memory for " + std::to_string(nbytes) + " bytes of a tensor on " +
                                           tensor.device().name());
  }
  const Tensor host = from_blob(data, {run}, [data] { std::free(data); }, {.dtype = tensor.dtype()});
  uncounted([&] { copy_elements(host, tensor.alias({run}, {1}, tensor.storage_offset())); });
  return host.alias(tensor.sizes(), tensor.strides(), 0);
}

/// Calls visit with each selected element from dimension `dim` on.
template <typename T, typename Visit>
void walk(const T* from, const Tensor& tensor, const Selection& selection, std::size_t dim, Visit visit) {
  if (dim == selection.size()) return visit(*from);
  const std::int64_t stride = tensor.strides()[dim];
  if (dim + 1 == selection.size()) {
    for (const std::int64_t at : selection[dim]) visit(from[at * stride]);
  } else {
    for (const std::int64_t at : selection[dim]) walk(from + at * stride, tensor, selection, dim + 1, visit);
  }
}

}  // namespace

Selection select_all(const Sizes& sizes) {
  Selection selection;
  if (std::ranges::find(sizes, 0) != sizes.end()) return Selection(sizes.size());
  for (const std::int64_t size : sizes) {
    auto& positions = selection.emplace_back(static_cast<std::size_t>(size));
    std::iota(positions.begin(), positions.end(), 0);
  }
  return selection;
}

Selection select_edges(const Sizes& sizes, std::int64_t edge) {
  Selection selection;
  for (const std::int64_t size : sizes) {
    auto& positions = selection.emplace_back();
    const bool cut = size / 2 > edge || (size / 2 == edge && size % 2 != 0);
    for (std::int64_t i = 0; i < (cut ? edge : size); ++i) positions.push_back(i);
    for (std::int64_t i = size - edge; cut && i < size; ++i) positions.push_back(i);
  }
  return selection;
}

std::int64_t numel(const Selection& selection) {
  std::int64_t count = 1;
  for (const auto& positions : selection) count *= static_cast<std::int64_t>(positions.size());
  return count;
}

Elements read_elements(const Tensor& tensor, const Selection& selection) {
  const Tensor here = on_host(tensor);
  const auto size = static_cast<std::size_t>(numel(selection));
  Elements elements;
  if (size == 0) return elements;
  dispatch(here.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* const first = static_cast<const T*>(here.data_ptr());
    if (is_floating_point(here.dtype())) {
      elements.reals.resize(size);
      double* to = elements.reals.data();
      walk(first, here, selection, 0, [&](T value) { *to++ = static_cast<double>(value); });
    } else {
      elements.integers.resize(size);
      std::int64_t* to = elements.integers.data();
      walk(first, here, selection, 0, [&](T value) {
        *to++ = static_cast<std::int64_t>(value);  // NOLINT(bugprone-signed-char-misuse): int8 is a number
      });
    }
  });
  return elements;
}

kernels::Moments statistics(const Tensor& tensor) {
  const Tensor here = on_host(tensor);
  return kernels::cpu::moments(here.sizes(), to_array(here));
}

Distribution distribution(const Tensor& tensor) {
  const Tensor here = on_host(tensor);
  Distribution found{kernels::cpu::moments(here.sizes(), to_array(here)), {}};
  const double low = found.moments.min, high = found.moments.max;
  if (low < high && std::isfinite(high - low))
    found.histogram = kernels::cpu::histogram(here.sizes(), to_array(here), low, high, kHistogramBins);
  return found;
}

}  // namespace lectern
