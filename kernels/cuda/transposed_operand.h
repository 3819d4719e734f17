#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/offsets.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/rough_functors.h"
#include "kernels/cuda/transpose.h"
#include "kernels/geometry.h"

// Elementwise operations on two arrays of which one is contiguous along another dimension than the result, as
// in x + y.t(): it is turned tile by tile (kernels/cuda/transpose.h), and combined with the other one, read
// in packs, on its way to the result.

namespace lectern::kernels::cuda {

template <typename Functor, typename T>
struct TransposedOperandKernel {
  using Tiles = WideTile<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

  std::byte* out;
  const std::byte* transposed;
  const std::byte* other;
  bool transposed_is_first;
  TileGrid<Tiles, 3> grid;  ///< of these arrays, in this order

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {
    auto& tile = group.template shared<Tiles>();
    const int rank = group.rank();
    const auto corner = grid.corner(index);
    RawPack others[Tiles::kWritten];
    Tiles::read_beside(rank, grid.columns_of(2, other, corner), others);
    tile.read(rank, grid.rows_of(1, transposed, corner));
    group.sync();
    tile.write(rank, grid.columns_of(0, out, corner), [&](int n, const RawPack& turned) {
      return transposed_is_first ? combined(turned, others[n]) : combined(others[n], turned);
    });
    group.sync();
  }

 private:
  LECTERN_HD static RawPack combined(const RawPack& a, const RawPack& b) {
    Compute<T> values[kPacked<T>];
    LECTERN_UNROLLED
    for (int i = 0; i < kPacked<T>; ++i) {
      values[i] = FunctorOf<Functor, T>{}(a.template number<T>(i), b.template number<T>(i));
    }
    return RawPack::of<T>(values);
  }
};

/// Launches the kernel if the arrays of a geometry, in the kernel's order, are such; returns whether they
/// are.
template <typename Functor, typename T>
bool launch_transposed_of(const Geometry& geometry, const Array& out, const Array& transposed,
                          const Array& other, bool transposed_is_first) {
  using Kernel = TransposedOperandKernel<Functor, T>;
  using Tiles = typename Kernel::Tiles;
  constexpr std::int64_t kSize = sizeof(T);
  const std::size_t dim = contiguous_dim(geometry, 1, kSize);
  if (dim == 0 || geometry.sizes[0] < Tiles::kSide || geometry.sizes[dim] < Tiles::kSide) return false;
  const auto has_rows = [&](std::size_t k, const Array& array, std::size_t along) {
    return !array.is_scalar && array.dtype == dtype_of<T> && geometry.strides[k][along] == kSize &&
           has_aligned_rows(geometry, k, along, array.data, kPackBytes, kSize);
  };
  const bool repeats = geometry.strides[1][0] == 0;  // a column, which is read more simply
  if (repeats || !has_rows(0, out, 0) || !has_rows(1, transposed, dim) || !has_rows(2, other, 0))
    return false;
  for_each_part(without(geometry, dim), [&](const Geometry& others, const auto& offsets) {
    const TileGrid<Tiles, 3> grid(geometry, dim, others);
    launch_blocks(grid.count(),
                  Kernel{static_cast<std::byte*>(out.data) + offsets[0],
                         static_cast<const std::byte*>(transposed.data) + offsets[1],
                         static_cast<const std::byte*>(other.data) + offsets[2], transposed_is_first, grid});
  });
  return true;
}

/// out = Functor{}(a, b) if these arrays, of one dtype, are such; returns whether they are.
template <typename Functor>
bool launch_transposed(Dtype common, const Geometry& geometry, const Array& out, const Array& a,
                       const Array& b) {
  const auto launch = [&]<typename T>(std::type_identity<T>) {
    if (launch_transposed_of<Functor, T>(geometry, out, a, b, true)) return true;
    Geometry exchanged = geometry;
    std::swap(exchanged.strides[1], exchanged.strides[2]);
    return launch_transposed_of<Functor, T>(exchanged, out, b, a, false);
  };
  if (common == float32) return launch(std::type_identity<float>{});
  if (common == float16) return launch(std::type_identity<Half>{});
  return common == bfloat16 && launch(std::type_identity<BFloat16>{});
}

}  // namespace lectern::kernels::cuda
