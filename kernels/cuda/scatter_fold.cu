#include "kernels/cuda/launch.h"
#include "kernels/scatter_fold.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

template <typename T>
struct FoldKernel {
  FoldedRuns<T> runs;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < runs.destinations.count; i += threads) runs.fold(i);
  }
};

}  // namespace

void scatter_fold(ScatterFold operation, const Array& target, const Array& values,
                  const Destinations& destinations, bool include_self) {
  sort_rows(1, destinations.count, destinations.bits, destinations.offsets, destinations.places);
  dispatch(target.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch_for(destinations.count,
               FoldKernel<T>{{operation, static_cast<T*>(target.data), static_cast<const T*>(values.data),
                              destinations, include_self}});
  });
}

}  // namespace lectern::kernels::cuda
