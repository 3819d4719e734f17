#include "kernels/cuda/line_access.h"
#include "kernels/cuda/softmax_columns.h"
#include "kernels/row_operations.h"

namespace lectern::kernels::cuda {
namespace {

/// Any operation but softmin: beside its passes over memory the switch costs nothing.
template <typename Source>
struct RowForward {
  RowOperation operation;
  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t line) const {
    const auto x = arrays[1].input(group, lines, line);
    const auto out = arrays[0].row(lines, line);
    if (operation == RowOperation::log_softmax) {
      LogSoftmax::forward(group, lines.length, out, x);
    } else {
      Softmax::forward(group, lines.length, out, x);
    }
  }
};

}  // namespace

void apply_row(RowOperation operation, std::span<const std::int64_t> sizes, std::size_t dim, const Array& out,
               const Array& x) {
  if (operation == RowOperation::softmin) {  // rare: that of softmax, of -x, which costs two more passes
    apply_unary(Unary::neg, out.dtype, sizes, out, x);
    return apply_row(RowOperation::softmax, sizes, dim, out, out);
  }
  const std::array arrays{out, x};
  const Lines lines = make_lines(sizes, dim, arrays);
  if (softmax_of_columns(operation, lines, out, x)) return;
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    launch_lines<Source, LineUse{.rows = 1}>(lines, 1, RowForward<Source>{operation, lines, sources});
  });
}

}  // namespace lectern::kernels::cuda
