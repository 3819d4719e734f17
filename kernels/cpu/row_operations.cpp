#include "kernels/row_operations.h"

#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels::cpu {

void apply_row(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
               const Array& x) {
  const Lines lines = make_lines(sizes, dim, std::array{out, x});
  const bool drafts = dispatch(operation, []<typename Functor>(Functor) { return Functor::kDrafts; });
  dispatch_real_compute(out.dtype, [&]<typename T>(std::type_identity<T>) {
    const auto kernel = row_kernels().get<T>().forward[static_cast<std::size_t>(operation)];
    for_lines<T>(
        lines, std::array{out, x}, drafts ? Streaming::lines_with_draft : Streaming::lines,
        [&](std::int64_t, const LineTarget<T>& to, const T* from) { kernel(to, from, lines.length); });
  });
}

void apply_row_backward(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim,
                        const Array& out, const Array& grad, const Array& y) {
  const Lines lines = make_lines(sizes, dim, std::array{out, grad, y});
  dispatch_real_compute(out.dtype, [&]<typename T>(std::type_identity<T>) {
    const auto kernel = row_kernels().get<T>().backward[static_cast<std::size_t>(operation)];
    for_lines<T>(lines, std::array{out, grad, y}, Streaming::lines,
                 [&](std::int64_t, const LineTarget<T>& to, const T* grads, const T* results) {
                   kernel(to, grads, results, lines.length);
                 });
  });
}

}  // namespace lectern::kernels::cpu
