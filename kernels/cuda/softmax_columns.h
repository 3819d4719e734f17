#pragma once

#include "kernels/lines.h"
#include "kernels/row_operations.h"

namespace lectern::kernels::cuda {

/// softmax or log_softmax of long lines that lie side by side in packs of one dtype, such as the columns of a
/// matrix that is not too narrow; returns whether they do. `lines` has the strides of out and x. Lines are
/// read once if there are many, of which a block holds some, such as 12,000 elements each; else twice, by two
/// kernels: a thread for each line, the other way, leaves most of a GPU idle.
bool softmax_of_columns(RowOperation operation, const Lines& lines, const Array& out, const Array& x);

}  // namespace lectern::kernels::cuda
