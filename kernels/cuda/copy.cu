#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "device/copy.h"
#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/transpose.h"
#include "kernels/cuda/words.h"
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

}  // namespace

template <>
inline constexpr bool kHasRowPacks<Identity> = true;

namespace {

/// Moves elements unchanged, as words of their size or of several neighbours.
template <typename Word>
struct MoveKernel {
  static constexpr int kAtOnce = 4;  ///< reads that a thread has under way

  std::byte* out;
  const std::byte* in;
  std::int64_t numel;
  OffsetCalculator<2> offsets;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t first = thread; first < numel; first += kAtOnce * threads) {
      Word words[kAtOnce];
      std::uint32_t to[kAtOnce];
      for (int i = 0; i < kAtOnce; ++i) {
        const std::int64_t at = first + i * threads;
        if (at >= numel) continue;
        const auto both = offsets(static_cast<std::uint32_t>(at));
        to[i] = both.at[0];
        words[i] = *reinterpret_cast<const Word*>(in + both.at[1]);
      }
      for (int i = 0; i < kAtOnce; ++i) {
        if (first + i * threads < numel) *reinterpret_cast<Word*>(out + to[i]) = words[i];
      }
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

template <typename Word>
void move(const Geometry& geometry, std::byte* out, const std::byte* in) {
  const std::int64_t count = (geometry.numel + MoveKernel<Word>::kAtOnce - 1) / MoveKernel<Word>::kAtOnce;
  launch_for(count, MoveKernel<Word>{out, in, geometry.numel, OffsetCalculator<2>(geometry)});
}

/// Copies a part (for_each_part) by the widest accesses.
void copy_part(const Geometry& elements, std::int64_t element_size, std::byte* out, const std::byte* in) {
  const std::int64_t bytes = word_size(elements, element_size, out, in);
  const Geometry part = in_words(elements, element_size, bytes);
  dispatch_wide_word(bytes, [&]<typename Word>(std::type_identity<Word>) {
    if constexpr (sizeof(Word) < kPackBytes) {
      if (transpose<Word>(part, out, in)) return;
    }
    move<Word>(part, out, in);
  });
}

void copy_same(const Geometry& geometry, const Array& out, const Array& in) {
  const std::int64_t size = element_size(out.dtype);
  if (are_dense(geometry, out, in)) {
    lectern::cuda::enqueue_copy(out.data, in.data, static_cast<std::size_t>(geometry.numel * size));
    return;
  }
  for_each_part(geometry, [&](const Geometry& part, const auto& offsets) {
    copy_part(part, size, static_cast<std::byte*>(out.data) + offsets[0],
              static_cast<const std::byte*>(in.data) + offsets[1]);
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
