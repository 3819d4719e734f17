#include "kernels/elementwise.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/gradient_blocks.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/streaming.h"
#include "kernels/cpu/tile_reader.h"
#include "kernels/cpu/tiles.h"
#include "kernels/geometry.h"

namespace lectern::kernels::cpu {
namespace {

using Reader = TileReader<kBlock>;

/// Where a block of results is computed.
struct Target {
  void* at;
  Access access;
};

/// Writes blocks of results where they belong.
class Writer {
 public:
  Writer(const Tiling& tiling, Dtype dtype, Dtype result, Access access)
      : element_(tiling.geometry().strides[0][0]),
        row_(tiling.geometry().strides[0][1]),
        size_(element_size(dtype)),
        access_(access),
        unpack_(access == Access::streamed ? plane_kernels().stream_kernel(size_)
                                           : plane_kernels().copy_kernel(size_)),
        conversion_(conversions()(result, dtype)) {}

  Target block(const Tile& tile) {
    packed_ = is_packed(Plane{tile.at[0], element_, row_}, tile.length, tile.rows, size_);
    if (packed_ && conversion_ == nullptr) return {tile.at[0], access_};
    return {scratch_[0].bytes, Access::cached};
  }
  /// After the block was computed.
  void store(const Tile& tile) {
    const std::byte* from = scratch_[0].bytes;
    if (conversion_ == nullptr) {
      if (packed_) return;
    } else {
      const bool in_place = packed_ && access_ != Access::streamed;
      std::byte* to = in_place ? tile.at[0] : scratch_[1].bytes;
      conversion_(to, from, tile.length * tile.rows);
      if (in_place) return;
      from = to;
    }
    unpack_({tile.at[0], element_, row_}, {from, size_, tile.length * size_}, tile.length, tile.rows);
  }

 private:
  std::int64_t element_;
  std::int64_t row_;
  std::int64_t size_;
  Access access_;
  bool packed_ = false;  ///< the tile that block() was called for
  PlaneCopy unpack_;
  Conversion conversion_;
  struct {
    alignas(64) std::byte bytes[kBlock * 8];
  } scratch_[2];
};

/// An operation in one compute type.
struct Kernel {
  BinaryBlocks blocks;  ///< those that repeat are null unless it is binary
  Dtype common;
  Dtype result;  ///< of the blocks

  /// Whether arrays of these dtypes need no conversion.
  template <typename... Operands>
  bool takes(const Array& out, const Operands&... in) const {
    return compute_dtype(common) == common && out.dtype == result && ((in.dtype == common) && ...);
  }
};

Kernel find_kernel(Unary operation, Dtype common) {
  const auto index = static_cast<std::size_t>(operation);
  return {{element_blocks().unary[index][compute_index(common)], {}},
          common,
          kIsUnaryPredicate[index] ? bool_ : compute_dtype(common)};
}

Kernel find_kernel(Binary operation, Dtype common) {
  const auto index = static_cast<std::size_t>(operation);
  return {element_blocks().binary[index][compute_index(common)], common,
          kIsBinaryPredicate[index] ? bool_ : compute_dtype(common)};
}

Kernel find_kernel(Ternary operation, Dtype common) {
  return {{element_blocks().ternary[static_cast<std::size_t>(operation)][compute_index(common)], {}},
          common,
          compute_dtype(common)};
}

/// Computes a tile, through the readers' scratch where operands need it.
void compute(const BinaryBlocks& blocks, const Tile& tile, const Target& out, std::span<Reader> in) {
  const auto repeats = [&](std::size_t k) { return blocks.repeats[k] != nullptr && in[k].repeats(tile); };
  const std::size_t repeated = repeats(0) ? 0 : repeats(1) ? 1 : in.size();
  const void* operands[kMaxArrays - 1];
  for (std::size_t k = 0; k < in.size(); ++k) {
    operands[k] = k == repeated ? in[k].element(tile) : in[k].block(tile);
  }
  const ElementBlock block = repeated < in.size() ? blocks.repeats[repeated] : blocks.each;
  block(out.at, out.access, operands, tile.length * tile.rows);
}

/// The block that needs no scratch for rows with these steps (in bytes, of elements of `size`); null if there
/// is none.
ElementBlock direct_block(const BinaryBlocks& blocks, std::int64_t size,
                          std::span<const std::int64_t> steps) {
  ElementBlock found = blocks.each;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k] == size) continue;
    if (steps[k] != 0 || steps.size() != 2 || found != blocks.each) return nullptr;
    found = blocks.repeats[k];
  }
  return found;
}

using Pointers = std::array<std::byte*, kMaxArrays>;

/// Rows that need no scratch. They are long, so that a call costs little beside its work, and enough of them
/// for threads to share evenly.
void run_direct(ElementBlock block, const Geometry& geometry, const Pointers& base, Access access) {
  const std::int64_t longest = std::clamp(geometry.numel / (8 * parallel_threads()), kBlock, 16 * kBlock);
  const Tiling tiling(geometry, longest, 1);
  parallel_ranges(tiling.count(), geometry.numel, [&](std::int64_t begin, std::int64_t end) {
    tiling.walk(base, begin, end, [&](const Tile& row) {
      const void* const operands[] = {row.at[1], row.at[2], row.at[3]};
      block(row.at[0], access, operands, row.length);
    });
    if (access == Access::streamed) finish_streaming();
  });
}

template <typename... Operands>
void run(const Kernel& kernel, const Geometry& geometry, const Array& out, const Operands&... in) {
  const std::int64_t out_size = element_size(out.dtype);
  const Tiling tiling(geometry, kBlock, 32);
  const Pointers base{static_cast<std::byte*>(out.data), static_cast<std::byte*>(in.data)...};
  const Access access = choose_access(geometry.numel * out_size, ((in.data == out.data) || ...));

  if (tiling.rows() == 1 && geometry.strides[0][0] == out_size && kernel.takes(out, in...)) {
    std::int64_t steps[sizeof...(in)];
    for (std::size_t k = 0; k < sizeof...(in); ++k) steps[k] = geometry.strides[k + 1][0];
    if (const auto block = direct_block(kernel.blocks, element_size(kernel.common), steps)) {
      return run_direct(block, geometry, base, access);
    }
  }
  parallel_ranges(tiling.count(), geometry.numel, [&](std::int64_t begin, std::int64_t end) {
    std::size_t array = 0;
    Reader readers[] = {Reader(tiling, ++array, in.dtype, kernel.common)...};
    Writer writer(tiling, out.dtype, kernel.result, access);
    tiling.walk(base, begin, end, [&](const Tile& tile) {
      compute(kernel.blocks, tile, writer.block(tile), readers);
      writer.store(tile);
    });
    if (access == Access::streamed) finish_streaming();
  });
}

template <typename... Operands>
void apply_strided(const Kernel& kernel, std::span<const std::int64_t> sizes, const Array& out,
                   const Operands&... in) {
  const Geometry geometry = make_geometry(sizes, out, in...);
  if (geometry.numel > 0) run(kernel, geometry, out, in...);
}

void apply_gradient(ElementBlock block, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                    std::span<const Array> in) {
  const Kernel kernel{{block, {}}, common, compute_dtype(common)};
  if (in.size() == 1) return apply_strided(kernel, sizes, out, in[0]);
  if (in.size() == 2) return apply_strided(kernel, sizes, out, in[0], in[1]);
  apply_strided(kernel, sizes, out, in[0], in[1], in[2]);
}

template <typename Operation, typename... Operands>
void apply_dense(Operation operation, Dtype common, std::int64_t numel, const Array& out,
                 const Operands&... in) {
  if (numel == 0) return;
  const Kernel kernel = find_kernel(operation, common);
  const auto step = [](const Array& operand) { return operand.is_scalar ? 0 : element_size(operand.dtype); };
  const std::int64_t steps[] = {element_size(out.dtype), step(in)...};
  if (numel <= kParallelElements && kernel.takes(out, in...)) {
    if (const auto block = direct_block(kernel.blocks, element_size(common), std::span(steps).subspan(1))) {
      const void* const operands[] = {in.data...};
      return block(out.data, Access::cached, operands, numel);
    }
  }
  run(kernel, contiguous_geometry(numel, steps), out, in...);
}

}  // namespace

void apply_unary(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                 const Array& a) {
  apply_strided(find_kernel(operation, common), sizes, out, a);
}

void apply_binary(Binary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                  const Array& a, const Array& b) {
  apply_strided(find_kernel(operation, common), sizes, out, a, b);
}

void apply_ternary(Ternary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                   const Array& a, const Array& b, const Array& c) {
  apply_strided(find_kernel(operation, common), sizes, out, a, b, c);
}

void apply_unary_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes,
                          const Array& out, std::span<const Array> in) {
  const auto& blocks = gradient_blocks().unary[static_cast<std::size_t>(operation)];
  apply_gradient(blocks[compute_index(common)], common, sizes, out, in);
}

void apply_binary_gradient(Binary operation, Side side, Dtype common, std::span<const std::int64_t> sizes,
                           const Array& out, std::span<const Array> in) {
  const auto& blocks =
      gradient_blocks().binary[static_cast<std::size_t>(operation)][static_cast<std::size_t>(side)];
  apply_gradient(blocks[compute_index(common)], common, sizes, out, in);
}

void apply_contiguous(Unary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a) {
  apply_dense(operation, common, numel, out, a);
}

void apply_contiguous(Binary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a,
                      const Array& b) {
  apply_dense(operation, common, numel, out, a, b);
}

}  // namespace lectern::kernels::cpu
