#pragma once

#include <cstdint>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace lectern::kernels::cpu {

/// Below so many elements one thread is faster than waking others.
inline constexpr std::int64_t kParallelElements = 32768;

/// The thread count of parallel_ranges().
inline int parallel_threads() {
#ifdef _OPENMP
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

/// Calls body(begin, end) for ranges that together are 0 … items, from all OpenMP threads if `elements` is
/// large enough; in a parallel region, from this one. Each thread gets one range. `body` must not throw.
template <typename Body>
void parallel_ranges(std::int64_t items, std::int64_t elements, const Body& body) {
#ifdef _OPENMP
  if (elements > kParallelElements && items > 1 && parallel_threads() > 1) {
#pragma omp parallel
    {
      const std::int64_t threads = omp_get_num_threads();
      const std::int64_t thread = omp_get_thread_num();
      const std::int64_t begin = items * thread / threads;
      const std::int64_t end = items * (thread + 1) / threads;
      if (begin < end) body(begin, end);
    }
    return;
  }
#endif
  body(0, items);
}

}  // namespace lectern::kernels::cpu
