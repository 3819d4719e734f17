#include "kernels/cuda/reduction_kernels.h"

namespace lectern::kernels::cuda {

LECTERN_REDUCE_AS(float, true);
LECTERN_REDUCE_AS(double, true);
LECTERN_REDUCE_AS(std::int64_t, true);

}  // namespace lectern::kernels::cuda
