#include "kernels/cuda/line_access.h"
#include "kernels/softmax.h"
#include "kernels/softmax_row.h"

namespace lectern::kernels::cuda {
namespace {

template <typename Source>
struct SoftmaxKernel {
  Softmax kind;
  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto out = arrays[0].row(lines, line), x = arrays[1].row(lines, line);
    if (kind == Softmax::softmax) {
      softmax_row(group, lines.length, out, x);
    } else {
      log_softmax_row(group, lines.length, out, x);
    }
  }
};

template <typename Source>
struct SoftmaxBackwardKernel {
  Softmax kind;
  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, y

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto out = arrays[0].row(lines, line), grad = arrays[1].row(lines, line);
    const auto y = arrays[2].row(lines, line);
    if (kind == Softmax::softmax) {
      softmax_backward_row(group, lines.length, out, grad, y);
    } else {
      log_softmax_backward_row(group, lines.length, out, grad, y);
    }
  }
};

}  // namespace

void softmax(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
             const Array& x) {
  const std::array arrays{out, x};
  const Lines lines = make_lines(sizes, dim, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    launch_lines<Source>(lines, 1, SoftmaxKernel<Source>{kind, lines, sources});
  });
}

void softmax_backward(Softmax kind, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
                      const Array& grad, const Array& y) {
  const std::array arrays{out, grad, y};
  const Lines lines = make_lines(sizes, dim, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    launch_lines<Source>(lines, 1, SoftmaxBackwardKernel<Source>{kind, lines, sources});
  });
}

}  // namespace lectern::kernels::cuda
