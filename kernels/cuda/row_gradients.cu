#include "kernels/cuda/line_access.h"
#include "kernels/row_operations.h"

namespace lectern::kernels::cuda {
namespace {

/// Any operation but softmin.
template <typename Source>
struct RowBackward {
  RowOperation operation;
  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, y

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto grad = arrays[1].input(group, lines, line), y = arrays[2].input(group, lines, line);
    const auto out = arrays[0].row(lines, line);
    if (operation == RowOperation::log_softmax) {
      LogSoftmax::backward(group, lines.length, out, grad, y);
    } else {
      Softmax::backward(group, lines.length, out, grad, y);
    }
  }
};

}  // namespace

void apply_row_backward(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim,
                        const Array& out, const Array& grad, const Array& y) {
  if (operation == RowOperation::softmin) {  // that of softmax, negated
    apply_row_backward(RowOperation::softmax, sizes, dim, out, grad, y);
    return apply_unary(Unary::neg, out.dtype, sizes, out, out);
  }
  const std::array arrays{out, grad, y};
  const Lines lines = make_lines(sizes, dim, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    launch_lines<Source, LineUse{.rows = 2}>(lines, 1, RowBackward<Source>{operation, lines, sources});
  });
}

}  // namespace lectern::kernels::cuda
