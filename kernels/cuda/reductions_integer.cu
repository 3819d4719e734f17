#include "kernels/cuda/reduction_kernels.h"

namespace lectern::kernels::cuda {

LECTERN_REDUCE_AS(std::int64_t, false);

}  // namespace lectern::kernels::cuda
