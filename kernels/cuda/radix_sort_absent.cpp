#include "kernels/cuda/radix_sort.h"

namespace lectern::kernels::cuda {

bool radix_sort_rows(std::int64_t, std::int64_t, int, const KeysAndPlaces&, const KeysAndPlaces&) {
  return false;
}

}  // namespace lectern::kernels::cuda
