#include "kernels/cuda/reduction_kernels.h"
#include "kernels/reductions.h"

namespace lectern::kernels::cuda {

void reduce(Reduction reduction, Dtype common, std::span<const std::int64_t> sizes,
            std::span<const bool> over, const Array& out, const Array& in, const Array* positions) {
  const ReductionGeometry geometry = reduction_geometry(sizes, over, out, in, positions);
  if (geometry.kept.numel == 0) return;
  dispatch_compute(common, [&](auto tag) {
    using C = typename decltype(tag)::type;
    reduce_as<C, false>(reduction, geometry, out, in, positions);
    reduce_as<C, true>(reduction, geometry, out, in, positions);
  });
}

}  // namespace lectern::kernels::cuda
