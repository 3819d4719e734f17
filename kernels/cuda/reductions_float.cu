#include "kernels/cuda/reduction_kernels.h"

namespace lectern::kernels::cuda {

LECTERN_REDUCE_AS(float, false);

}  // namespace lectern::kernels::cuda
