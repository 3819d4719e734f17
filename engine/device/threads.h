#pragma once

namespace lectern {

/// How many threads the operations that this thread calls may use on the CPU (OpenMP's). At first
/// OMP_NUM_THREADS, else one per processor. A TensorError when `threads` is not positive.
void set_num_threads(int threads);
int get_num_threads();

}  // namespace lectern
