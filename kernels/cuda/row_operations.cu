#include "kernels/cuda/line_access.h"
#include "kernels/row_operations.h"

namespace lectern::kernels::cuda {
namespace {

/// Any operation: beside its passes over memory the switch costs nothing.
template <typename Source>
struct RowForward {
  RowOperation operation;
  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto x = arrays[1].input(group, lines, line);
    const auto out = arrays[0].row(lines, line);
    dispatch(operation, [&]<typename Functor>(Functor) { Functor::forward(group, lines.length, out, x); });
  }
};

template <typename Source>
struct RowBackward {
  RowOperation operation;
  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, y

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto grad = arrays[1].input(group, lines, line), y = arrays[2].input(group, lines, line);
    const auto out = arrays[0].row(lines, line);
    dispatch(operation,
             [&]<typename Functor>(Functor) { Functor::backward(group, lines.length, out, grad, y); });
  }
};

}  // namespace

void apply_row(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
               const Array& x) {
  const std::array arrays{out, x};
  const Lines lines = make_lines(sizes, dim, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    launch_lines<Source, 1>(lines, 1, RowForward<Source>{operation, lines, sources});
  });
}

void apply_row_backward(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim,
                        const Array& out, const Array& grad, const Array& y) {
  const std::array arrays{out, grad, y};
  const Lines lines = make_lines(sizes, dim, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    launch_lines<Source, 2>(lines, 1, RowBackward<Source>{operation, lines, sources});
  });
}

}  // namespace lectern::kernels::cuda
