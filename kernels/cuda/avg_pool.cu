#include "kernels/avg_pool.h"
#include "kernels/cuda/launch.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cuda {
namespace {

template <typename T>
struct AvgPoolKernel {
  PoolSizes sizes;
  PoolDivisor divisor;
  T* out;
  const T* in;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.windows(); i += threads) {
      const std::int64_t plane = i / sizes.windows();
      out[i] = window_mean(sizes, divisor, in + plane * sizes.elements(), i - plane * sizes.windows());
    }
  }
};

template <typename T>
struct AvgPoolGradientKernel {
  PoolSizes sizes;
  PoolDivisor divisor;
  T* in_gradient;
  const T* gradient;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < sizes.planes * sizes.elements(); i += threads) {
      const std::int64_t plane = i / sizes.elements();
      in_gradient[i] =
          mean_gradient(sizes, divisor, gradient + plane * sizes.windows(), i - plane * sizes.elements());
    }
  }
};

}  // namespace

void avg_pool(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* out, const void* in) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    launch_for(sizes.planes * sizes.windows(),
               AvgPoolKernel<T>{sizes, divisor, static_cast<T*>(out), static_cast<const T*>(in)});
  });
}

void avg_pool_gradient(const PoolSizes& sizes, PoolDivisor divisor, Dtype dtype, void* in_gradient,
                       const void* gradient) {
  dispatch_real(dtype, [&]<typename T>(std::type_identity<T>) {
    launch_for(sizes.planes * sizes.elements(),
               AvgPoolGradientKernel<T>{sizes, divisor, static_cast<T*>(in_gradient),
                                        static_cast<const T*>(gradient)});
  });
}

}  // namespace lectern::kernels::cuda
