#include "kernels/cuda/reduction_kernels.h"

namespace lectern::kernels::cuda {

LECTERN_REDUCE_AS(double, false);

}  // namespace lectern::kernels::cuda
