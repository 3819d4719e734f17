#include "kernels/norms.h"

#include <algorithm>

#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels::cpu {
namespace {

template <std::size_t kArrays>
Lines matrix_rows(const NormShape& shape, const std::array<Array, kArrays>& arrays) {
  return make_lines(std::array{shape.rows, shape.length}, 1, arrays);
}

/// Where a part of the rows sums the gradient of a parameter, zeroed; null stays null.
template <typename T>
T* begin_part(void* parts, std::int64_t part, std::int64_t length) {
  if (parts == nullptr) return nullptr;
  T* const sums = static_cast<T*>(parts) + part * length;
  std::fill_n(sums, length, T(0));
  return sums;
}

/// Rows from `first` on, as LineWalk gives them.
template <typename T, typename Walk>
NormRows<T> norm_rows(const NormStatistics& statistics, std::int64_t first, std::int64_t count,
                      const typename Walk::Values& values, const typename Walk::Pitch& pitch) {
  constexpr std::int64_t kSize = sizeof(T);
  const auto* const mean = static_cast<const T*>(statistics.mean);
  return {.rows = count,
          .grad = reinterpret_cast<const T*>(values[1]),
          .grad_step = pitch[1] / kSize,
          .x = reinterpret_cast<const T*>(values[2]),
          .x_step = pitch[2] / kSize,
          .mean = mean == nullptr ? nullptr : mean + first,
          .rstd = static_cast<const T*>(statistics.rstd) + first};
}

}  // namespace

void norm(Norm kind, const NormShape& shape, double eps, const Array& out, const Array& x,
          const NormParameters& parameters, const NormStatistics& statistics) {
  const Lines lines = matrix_rows(shape, std::array{out, x});
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_kernels().get<T>();
    const auto kernel = kind == Norm::layer ? kernels.layer_norm : kernels.rms_norm;
    for_lines<T>(lines, std::array{out, x}, Streaming::lines,
                 [&](std::int64_t row, const LineTarget<T>& to, const T* from) {
                   const RowStatistics<T> found =
                       kernel(to, from, static_cast<const T*>(parameters.weight),
                              static_cast<const T*>(parameters.bias), static_cast<T>(eps), shape.length);
                   if (statistics.mean != nullptr) static_cast<T*>(statistics.mean)[row] = found.mean;
                   static_cast<T*>(statistics.rstd)[row] = found.rstd;
                 });
  });
}

std::int64_t norm_gradient_parts(const NormShape& shape, Dtype) {
  constexpr std::int64_t kRows = 16, kMost = 32;
  return std::clamp<std::int64_t>(shape.rows / kRows, 1, kMost);
}

void norm_backward(Norm kind, const NormShape& shape, const Array& out, const Array& grad, const Array& x,
                   const void* weight, const NormStatistics& statistics, const NormParameters& gradients) {
  const Lines lines = matrix_rows(shape, std::array{out, grad, x});
  const std::int64_t parts = norm_gradient_parts(shape, out.dtype);
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_kernels().get<T>();
    const auto kernel = kind == Norm::layer ? kernels.layer_norm_backward : kernels.rms_norm_backward;
    parallel_ranges(parts, shape.rows * shape.length, [&](std::int64_t begin, std::int64_t end) {
      using Walk = LineWalk<3>;
      Walk walk(lines, dtype_of<T>, {out, grad, x}, Streaming::lines);
      for (std::int64_t part = begin; part < end; ++part) {
        T* const weights = begin_part<T>(gradients.weight, part, shape.length);
        T* const biases = begin_part<T>(gradients.bias, part, shape.length);
        walk.visit_tiles(part * shape.rows / parts, (part + 1) * shape.rows / parts, kNormRowsTogether,
                         [&](std::int64_t first, std::int64_t count, const Walk::Values& values,
                             const Walk::Pitch& pitch) {
                           const NormRows<T> rows =
                               norm_rows<T, Walk>(statistics, first, count, values, pitch);
                           for (std::int64_t row = 0; row < count; ++row) {
                             kernel(walk.target<T>(values[0] + row * pitch[0]),
                                    rows.grad + row * rows.grad_step, rows.x + row * rows.x_step,
                                    static_cast<const T*>(weight), rows.statistics(row), shape.length);
                           }
                           if (weights != nullptr || biases != nullptr)
                             kernels.norm_parameters(weights, biases, rows, shape.length);
                         });
      }
    });
  });
}

}  // namespace lectern::kernels::cpu
