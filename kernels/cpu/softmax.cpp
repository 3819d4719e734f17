#include "kernels/softmax.h"

#include "kernels/cpu/compute_lines.h"
#include "kernels/cpu/row_kernels.h"

namespace lectern::kernels::cpu {

void softmax(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
             const Array& x) {
  const Lines lines = make_lines(sizes, dim, std::array{out, x});
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_kernels().get<T>();
    const auto kernel = kind == Softmax::softmax ? kernels.softmax : kernels.log_softmax;
    const auto streaming = kind == Softmax::softmax ? Streaming::lines_with_draft : Streaming::lines;
    for_lines<T>(
        lines, std::array{out, x}, streaming,
        [&](std::int64_t, const LineTarget<T>& to, const T* from) { kernel(to, from, lines.length); });
  });
}

void softmax_backward(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
                      const Array& grad, const Array& y) {
  const Lines lines = make_lines(sizes, dim, std::array{out, grad, y});
  dispatch_real_compute(out.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const RowKernels<T>& kernels = row_kernels().get<T>();
    const auto kernel = kind == Softmax::softmax ? kernels.softmax_backward : kernels.log_softmax_backward;
    for_lines<T>(lines, std::array{out, grad, y}, Streaming::lines,
                 [&](std::int64_t, const LineTarget<T>& to, const T* grads, const T* results) {
                   kernel(to, grads, results, lines.length);
                 });
  });
}

}  // namespace lectern::kernels::cpu
