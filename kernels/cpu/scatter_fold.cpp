#include "kernels/scatter_fold.h"

#include "kernels/cpu/parallel.h"
#include "kernels/sort.h"

namespace lectern::kernels::cpu {

void scatter_fold(ScatterFold operation, const Array& target, const Array& values,
                  const Destinations& destinations, bool include_self) {
  sort_rows(1, destinations.count, destinations.bits, destinations.offsets, destinations.places);
  dispatch(target.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const FoldedRuns<T> runs{operation, static_cast<T*>(target.data), static_cast<const T*>(values.data),
                             destinations, include_self};
    parallel_ranges(destinations.count, destinations.count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) runs.fold(i);
    });
  });
}

}  // namespace lectern::kernels::cpu
