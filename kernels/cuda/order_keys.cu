#include "kernels/cuda/launch.h"
#include "kernels/index_position.h"
#include "kernels/order_key.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

template <typename T>
struct OrderKeyKernel {
  RowMajor elements;
  const T* in;
  bool descending;
  std::uint64_t* keys;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < elements.numel(); i += threads) {
      const std::uint64_t key = order_key(in[elements.offset(i)]);
      keys[i] = descending ? ~key : key;
    }
  }
};

}  // namespace

void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys) {
  const RowMajor elements(sizes, in.strides);
  dispatch(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch_for(elements.numel(),
               OrderKeyKernel<T>{elements, static_cast<const T*>(in.data), descending, keys});
  });
}

}  // namespace lectern::kernels::cuda
