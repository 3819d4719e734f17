#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/order_key.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

/// Keys in the order of their elements, or `flip`ped in the opposite one.
template <typename T>
LECTERN_HD std::uint64_t key_of(T element, std::uint64_t flip) {
  return order_key(element) ^ flip;
}

/// Of contiguous elements, as many at a time as keys fill a pack.
template <typename T>
struct PackedOrderKeyKernel {
  static constexpr int kCount = kPacked<std::uint64_t>;
  using Keys = Pack<std::uint64_t>;
  using Elements = Pack<T, kCount>;

  std::uint64_t* keys;
  const T* in;
  std::int64_t numel;
  std::uint64_t flip;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kCount;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const Elements elements = reinterpret_cast<const Elements*>(in)[i];
      Keys made;
      for (int j = 0; j < kCount; ++j) made.value[j] = key_of(elements.value[j], flip);
      reinterpret_cast<Keys*>(keys)[i] = made;
    }
    const std::int64_t rest = packs * kCount + thread;
    if (rest < numel) keys[rest] = key_of(in[rest], flip);
  }
};

/// Of a part (for_each_part).
template <typename T>
struct OrderKeyKernel {
  std::byte* keys;
  const std::byte* in;
  std::int64_t numel;
  OffsetCalculator<2> offsets;
  std::uint64_t flip;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < numel; i += threads) {
      const auto both = offsets(static_cast<std::uint32_t>(i));
      const T element = *reinterpret_cast<const T*>(in + both.at[1]);
      *reinterpret_cast<std::uint64_t*>(keys + both.at[0]) = key_of(element, flip);
    }
  }
};

/// Keys, contiguous, and elements.
Geometry keys_and_elements(std::span<const std::int64_t> sizes, const std::int64_t* strides,
                           std::int64_t element_size) {
  std::array<std::int64_t, kMaxRank> contiguous;
  std::int64_t numel = 1;
  for (std::size_t d = sizes.size(); d-- > 0; numel *= sizes[d]) contiguous[d] = numel;
  const std::array arrays{ArrayStrides{contiguous.data(), sizeof(std::uint64_t)},
                          ArrayStrides{strides, element_size}};
  return make_geometry(sizes, arrays);
}

template <typename T>
void make_keys(const Geometry& geometry, std::uint64_t* keys, const void* in, std::uint64_t flip) {
  using Packed = PackedOrderKeyKernel<T>;
  const bool dense = geometry.rank == 1 && geometry.strides[1][0] == sizeof(T);
  if (dense && is_aligned(keys, kPackBytes) && is_aligned(in, sizeof(typename Packed::Elements))) {
    return launch_for((geometry.numel + Packed::kCount - 1) / Packed::kCount,
                      Packed{keys, static_cast<const T*>(in), geometry.numel, flip});
  }
  for_each_part(geometry, [&](const Geometry& part, const auto& offsets) {
    launch_for(part.numel, OrderKeyKernel<T>{reinterpret_cast<std::byte*>(keys) + offsets[0],
                                             static_cast<const std::byte*>(in) + offsets[1], part.numel,
                                             OffsetCalculator<2>(part), flip});
  });
}

}  // namespace

void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys) {
  const Geometry geometry = keys_and_elements(sizes, in.strides, element_size(in.dtype));
  const std::uint64_t flip = descending ? ~std::uint64_t{0} : 0;
  dispatch(in.dtype,
           [&](auto tag) { make_keys<typename decltype(tag)::type>(geometry, keys, in.data, flip); });
}

}  // namespace lectern::kernels::cuda
