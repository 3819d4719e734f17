#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/copy.h"
#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {
namespace {

struct Identity {
  template <ComputeType T>
  LECTERN_HD T operator()(T x) const {
    return x;
  }
};

template <typename Visit>
constexpr auto dispatch(Identity identity, Visit&& visit) {
  return visit(identity);
}

/// Moves elements unchanged, `Word` being an integer of their size.
template <typename Word>
struct MoveKernel {
  std::byte* out;
  const std::byte* in;
  Geometry geometry;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < geometry.numel; i += threads) {
      const auto [at] = element_offsets<2>(geometry, i);
      *reinterpret_cast<Word*>(out + at[0]) = *reinterpret_cast<const Word*>(in + at[1]);
    }
  }
};

/// Converts neighbours, as many at a time as 16 bytes hold of the wider type.
template <typename To, typename From>
struct ConvertKernel {
  static constexpr int kCount = std::min(kPacked<To>, kPacked<From>);
  using Made = Pack<To, kCount>;
  using Taken = Pack<From, kCount>;

  To* out;
  const From* in;
  std::int64_t numel;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t packs = numel / kCount;
    for (std::int64_t i = thread; i < packs; i += threads) {
      const Taken taken = reinterpret_cast<const Taken*>(in)[i];
      Made made;
      for (int j = 0; j < kCount; ++j) made.value[j] = convert_number<To>(taken.value[j]);
      reinterpret_cast<Made*>(out)[i] = made;
    }
    const std::int64_t rest = packs * kCount + thread;
    if (rest < numel) out[rest] = convert_number<To>(in[rest]);
  }
};

/// Converts pack by pack if the arrays allow it; returns whether they do.
bool convert_packed(const Geometry& geometry, const Array& out, const Array& in) {
  if (!are_dense(geometry, out, in)) return false;
  return visit_packed_type(out.dtype, [&]<typename To>(std::type_identity<To>) {
    return visit_packed_type(in.dtype, [&]<typename From>(std::type_identity<From>) {
      if constexpr (!std::is_same_v<To, From>) {
        using Kernel = ConvertKernel<To, From>;
        if (!is_aligned(out.data, sizeof(typename Kernel::Made)) ||
            !is_aligned(in.data, sizeof(typename Kernel::Taken))) {
          return false;
        }
        launch_for((geometry.numel + Kernel::kCount - 1) / Kernel::kCount,
                   Kernel{static_cast<To*>(out.data), static_cast<const From*>(in.data), geometry.numel});
        return true;
      }
      return false;
    });
  });
}

void copy_same(const Geometry& geometry, const Array& out, const Array& in) {
  const std::int64_t size = element_size(out.dtype);
  if (are_dense(geometry, out, in)) {
    lectern::cuda::enqueue_copy(out.data, in.data, static_cast<std::size_t>(geometry.numel * size));
    return;
  }
  dispatch_word(size, [&]<typename Word>(std::type_identity<Word>) {
    launch_for(geometry.numel, MoveKernel<Word>{static_cast<std::byte*>(out.data),
                                                static_cast<const std::byte*>(in.data), geometry});
  });
}

}  // namespace

void copy(std::span<const std::int64_t> sizes, const Array& out, const Array& in) {
  if (in.is_scalar) return apply_operation(Identity{}, in.dtype, sizes, out, in);
  const Geometry geometry = make_geometry(sizes, out, in);
  if (geometry.numel == 0) return;
  if (out.dtype == in.dtype) return copy_same(geometry, out, in);
  if (!convert_packed(geometry, out, in)) apply_operation(Identity{}, in.dtype, sizes, out, in);
}

}  // namespace lectern::kernels::cuda
