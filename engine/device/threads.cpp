#include "device/threads.h"

#include <string>

#include <omp.h>

#include "base/tensor_error.h"

namespace lectern {

void set_num_threads(int threads) {
  if (threads < 1) {
    throw TensorError("set_num_threads", "threads", "positive", std::to_string(threads));
  }
  omp_set_num_threads(threads);
}

int get_num_threads() {
  return omp_get_max_threads();
}

}  // namespace lectern
