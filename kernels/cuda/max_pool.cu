#include "kernels/cuda/launch.h"
#include "kernels/dispatch.h"
#include "kernels/max_pool.h"

namespace lectern::kernels::cuda {
namespace {

template <typename T>
struct MaxPoolKernel {
  PoolSizes sizes;
  T* out;
  std::int64_t* indices;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.windows(); i += threads) {
      const std::int64_t plane = i / sizes.windows();
      const auto found = window_maximum(sizes, in + plane * sizes.elements(), i - plane * sizes.windows());
      out[i] = found.value;
      if (indices != nullptr) indices[i] = found.index;
    }
  }
};

template <typename T>
struct MaxPoolGradientKernel {
  PoolSizes sizes;
  T* in_gradient;
  const T* gradient;
  const std::int64_t* indices;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.elements(); i += threads) {
      const std::int64_t plane = i / sizes.elements(), first = plane * sizes.windows();
      in_gradient[i] =
          maximum_gradient(sizes, gradient + first, indices + first, i - plane * sizes.elements());
    }
  }
};

}  // namespace

void max_pool(const PoolSizes& sizes, Dtype dtype, void* out, std::int64_t* indices, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    launch_for(sizes.planes * sizes.windows(),
               MaxPoolKernel<T>{sizes, static_cast<T*>(out), indices, static_cast<const T*>(in)});
  });
}

void max_pool_gradient(const PoolSizes& sizes, Dtype dtype, void* in_gradient, const void* gradient,
                       const std::int64_t* indices) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    launch_for(sizes.planes * sizes.elements(),
               MaxPoolGradientKernel<T>{sizes, static_cast<T*>(in_gradient), static_cast<const T*>(gradient),
                                        indices});
  });
}

}  // namespace lectern::kernels::cuda
