#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/streaming.h"
#include "kernels/cpu/tiles.h"
#include "kernels/elementwise.h"
#include "kernels/geometry.h"

namespace lectern::kernels::cpu {
namespace {

/// Calls visit(out's plane, in's plane, tile) for all tiles.
template <typename Visit>
void for_planes(const Tiling& tiling, const Array& out, const Array& in, bool stream, const Visit& visit) {
  const auto& strides = tiling.geometry().strides;
  const std::array<std::byte*, kMaxArrays> base{static_cast<std::byte*>(out.data),
                                                static_cast<std::byte*>(in.data)};
  parallel_ranges(tiling.count(), tiling.geometry().numel, [&](std::int64_t begin, std::int64_t end) {
    tiling.walk(base, begin, end, [&](const Tile& tile) {
      visit(Plane{tile.at[0], strides[0][0], strides[0][1]},
            ConstPlane{tile.at[1], strides[1][0], strides[1][1]}, tile);
    });
    if (stream) finish_streaming();
  });
}

/// Whether all rows of `out` along its first dimension are aligned to cache lines.
bool has_whole_lines(const Geometry& geometry, const Array& out) {
  bool whole = reinterpret_cast<std::uintptr_t>(out.data) % kCacheLine == 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(geometry.rank); ++d) {
    whole = whole && geometry.strides[0][d] % kCacheLine == 0;
  }
  return whole;
}

void copy_same(const Geometry& geometry, const Array& out, const Array& in) {
  const std::int64_t size = element_size(out.dtype);
  const bool stream = geometry.numel * size >= kStreamBytes;
  const PlaneCopy kernel = stream ? plane_kernels().stream_kernel(size) : plane_kernels().copy_kernel(size);
  // Tiles of a streamed transposing copy write one cache line to each of many rows, and read along memory;
  // through the caches, squares are better.
  const Tiling tiling = stream && has_whole_lines(geometry, out)
                            ? Tiling(geometry, 16 * kBlock, kCacheLine / size)
                            : Tiling(geometry, 4 * kBlock, 64);
  for_planes(tiling, out, in, stream, [&](const Plane& to, const ConstPlane& from, const Tile& tile) {
    kernel(to, from, tile.length, tile.rows);
  });
}

void copy_converted(const Geometry& geometry, const Array& out, const Array& in) {
  const std::int64_t out_size = element_size(out.dtype);
  const std::int64_t in_size = element_size(in.dtype);
  const bool stream = geometry.numel * out_size >= kStreamBytes;
  const Conversion convert = conversions()(in.dtype, out.dtype);
  const PlaneCopy pack = plane_kernels().copy_kernel(in_size);
  const PlaneCopy unpack =
      stream ? plane_kernels().stream_kernel(out_size) : plane_kernels().copy_kernel(out_size);
  const Tiling tiling(geometry, kBlock, 32);
  for_planes(tiling, out, in, stream, [&](const Plane& to, const ConstPlane& from, const Tile& tile) {
    alignas(64) std::byte packed_in[kBlock * 8];
    alignas(64) std::byte packed_out[kBlock * 8];
    const std::byte* source = from.data;
    if (!is_packed(from, tile.length, tile.rows, in_size)) {
      pack({packed_in, in_size, tile.length * in_size}, from, tile.length, tile.rows);
      source = packed_in;
    }
    const bool in_place = !stream && is_packed(to, tile.length, tile.rows, out_size);
    std::byte* converted = in_place ? to.data : packed_out;
    convert(converted, source, tile.length * tile.rows);
    if (!in_place) unpack(to, {converted, out_size, tile.length * out_size}, tile.length, tile.rows);
  });
}

}  // namespace

void copy(std::span<const std::int64_t> sizes, const Array& out, const Array& in) {
  const Geometry geometry = make_geometry(sizes, out, in);
  if (geometry.numel == 0) return;
  if (out.dtype == in.dtype) {
    copy_same(geometry, out, in);
  } else {
    copy_converted(geometry, out, in);
  }
}

}  // namespace lectern::kernels::cpu

void lectern::kernels::convert_element(Dtype out_dtype, void* out, Dtype in_dtype, const void* in) {
  if (out_dtype == in_dtype) {
    __builtin_memcpy(out, in, static_cast<std::size_t>(element_size(out_dtype)));
  } else {
    cpu::conversions()(in_dtype, out_dtype)(out, in, 1);
  }
}
