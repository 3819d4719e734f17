#include "autograd/gradient_sums.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "autograd/graph.h"
#include "autograd/operation_recorder.h"
#include "device/counters.h"
#include "tensor/array.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern::autograd {
namespace {

/// out = operation(a, b), all of one shape.
void compute(std::string_view name, kernels::Binary operation, const Tensor& out, const Tensor& a,
             const Tensor& b) {
  apply_elementwise(name, operation, out.dtype(), a.is_contiguous() && b.is_contiguous(), out, to_array(a),
                    to_array(b));
  count(out.numel(), out.nbytes() + bytes_in_memory(a) + bytes_in_memory(b));
}

void add(const Tensor& out, const Tensor& a, const Tensor& b) {
  compute("add", kernels::Binary::add, out, a, b);
}

/// A dimension along which elements may share memory locations; none where all are distinct.
std::optional<std::size_t> overlapping_dim(const Sizes& sizes, const Sizes& strides) {
  Sizes order = {};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] > 1) order.push_back(static_cast<std::int64_t>(d));
  }
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)];
  });
  std::int64_t reach = 0;  // of the dimensions with smaller strides
  for (const std::int64_t entry : order) {
    const auto d = static_cast<std::size_t>(entry);
    if (strides[d] <= reach) return d;
    reach += (sizes[d] - 1) * strides[d];
  }
  return {};
}

/// Zeros in which base and view have the same relative layout as in their storage.
class BaseAndView {
 public:
  BaseAndView(const Layout& base, const Layout& view)
      : base_(base), view_(view), first_(std::min(base.offset, view.offset)) {
    const std::int64_t elements = std::max(extent(base.sizes, base.strides, base.offset - first_).value(),
                                           extent(view.sizes, view.strides, view.offset - first_).value());
    zeros_ = zeros({elements}, {.dtype = base.dtype, .device = base.device});
  }

  Tensor base() const { return zeros_.alias(base_.sizes, base_.strides, base_.offset - first_); }
  Tensor view() const { return zeros_.alias(view_.sizes, view_.strides, view_.offset - first_); }

 private:
  const Layout &base_, &view_;
  std::int64_t first_;
  Tensor zeros_;
};

}  // namespace

Tensor sum(Tensor&& a, const Tensor& b) {
  const kernels::FusedOperation addition(kernels::Binary::add, a.dtype(), a.dtype());
  if (Tensor later = deferred("add", addition, a.sizes(), a.device(), a, b); later.defined()) return later;
  const bool in_place = Graph::is_unique(a) && is_dense(a.sizes(), a.strides());
  const std::int64_t* const strides[] = {a.strides().begin(), b.strides().begin()};
  const Tensor out =
      in_place ? a : empty_dense("add", a.dtype(), a.device(), a.sizes(), result_strides(a.sizes(), strides));
  add(out, a, b);
  return out;
}

void add_into(const Tensor& to, const Tensor& from) {
  const std::optional<std::size_t> dim = overlapping_dim(to.sizes(), to.strides());
  if (!dim) {
    add(to, to, from);
    to.storage().bump_version();
    return;
  }
  count(to.numel(), 2 * to.nbytes() + bytes_in_memory(from));
  Sizes sizes = to.sizes(), to_strides = to.strides(), from_strides = from.strides();
  sizes.erase(*dim);
  to_strides.erase(*dim);
  from_strides.erase(*dim);
  for (std::int64_t i = 0; i < to.sizes()[*dim]; ++i) {
    uncounted([&] {
      add_into(to.alias(sizes, to_strides, to.storage_offset() + i * to.strides()[*dim]),
               from.alias(sizes, from_strides, from.storage_offset() + i * from.strides()[*dim]));
    });
  }
}

Tensor part_gradient(const Sizes& whole, const Tensor& gradient, const Part& part) {
  Tensor result = zeros(whole, {.dtype = gradient.dtype(), .device = gradient.device()});
  copy_elements(part(result), gradient);
  return result;
}

bool add_part(const Tensor& sum, const Tensor& gradient, const Part& part) {
  if (!Graph::is_unique(sum) || !is_dense(sum.sizes(), sum.strides())) return false;
  add_into(part(sum), gradient);
  return true;
}

Layout::Layout(const Tensor& tensor)
    : sizes(tensor.sizes()),
      strides(tensor.strides()),
      offset(tensor.storage_offset()),
      dtype(tensor.dtype()),
      device(tensor.device()) {
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) strides[d] = 1;
  }
}

Tensor base_gradient(const Layout& base, const Layout& view, const Tensor& gradient) {
  const BaseAndView both(base, view);
  add_into(both.view(), gradient);
  if (!overlapping_dim(base.sizes, base.strides)) return both.base();
  const BaseAndView counts(base, view);
  add_into(counts.base(), ones(base.sizes, {.dtype = base.dtype, .device = base.device}));
  const Tensor sums = both.base();
  const Tensor out =
      empty_dense("div", sums.dtype(), sums.device(), sums.sizes(), contiguous_strides(sums.sizes()));
  compute("div", kernels::Binary::div, out, sums, counts.base());
  return out;
}

Parts split_gradient(const Layout& base, const Layout& view, const Tensor& gradient) {
  const BaseAndView both(base, view);
  copy_elements(both.base(), gradient);
  const Tensor part = both.view();
  Tensor gradient_of_view =
      copied("copy_", part, part.dtype(), part.device(), contiguous_strides(part.sizes()));
  fill_elements(part, 0);
  return {std::move(gradient_of_view), both.base()};
}

}  // namespace lectern::autograd
