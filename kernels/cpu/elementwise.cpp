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
#include "kernels/cpu/tiles.h"
#include "kernels/geometry.h"

namespace lectern::kernels::cpu {
namespace {

struct Scratch {
  alignas(64) std::byte bytes[kBlock * 8];
};

/// Reads the tiles of an operand as blocks of the compute type: in place if possible, else through scratch.
class Reader {
 public:
  Reader(const Tiling& tiling, std::size_t array, Dtype dtype, Dtype common)
      : array_(array),
        element_(tiling.geometry().strides[array][0]),
        row_(tiling.geometry().strides[array][1]),
        size_(element_size(dtype)),
        pack_(plane_kernels().copy_of(size_)),
        to_common_(conversions()(dtype, common)),
        to_compute_(conversions()(common, compute_dtype(common))) {}

  /// Whether the tile is one element, repeated.
  bool repeats(const Tile& tile) const { return element_ == 0 && (tile.rows == 1 || row_ == 0); }

  const void* block(const Tile& tile) {
    const ConstPlane plane{tile.at[array_], element_, row_};
    const std::int64_t count = tile.length * tile.rows;
    if (is_packed(plane, tile.length, tile.rows, size_)) return converted(plane.data, count);
    const bool held = plane.data == held_ && tile.length == held_length_ && tile.rows == held_rows_;
    if (held) return block_;
    pack_({scratch_[0].bytes, size_, tile.length * size_}, plane, tile.length, tile.rows);
    held_ = row_ == 0 || tile.rows == 1 ? plane.data : nullptr;
    held_length_ = tile.length;
    held_rows_ = tile.rows;
    return block_ = converted(scratch_[0].bytes, count);
  }
  /// For a tile that repeats.
  const void* element(const Tile& tile) { return converted(tile.at[array_], 1); }

 private:
  const std::byte* converted(const std::byte* from, std::int64_t count) {
    for (const Conversion conversion : {to_common_, to_compute_}) {
      if (conversion == nullptr) continue;
      std::byte* to = scratch_[from == scratch_[0].bytes ? 1 : 0].bytes;
      conversion(to, from, count);
      from = to;
    }
    return from;
  }

  std::size_t array_;
  std::int64_t element_;
  std::int64_t row_;
  std::int64_t size_;
  PlaneCopy pack_;
  Conversion to_common_;
  Conversion to_compute_;
  const std::byte* block_ = nullptr;  ///< of the tile at held_, which other tiles may repeat
  const std::byte* held_ = nullptr;
  std::int64_t held_length_ = 0;
  std::int64_t held_rows_ = 0;
  Scratch scratch_[2];
};

/// Where a block of results is computed.
struct Target {
  void* at;
  bool stream;
};

/// Writes blocks of results where they belong.
class Writer {
 public:
  Writer(const Tiling& tiling, Dtype dtype, Dtype result, bool stream)
      : element_(tiling.geometry().strides[0][0]),
        row_(tiling.geometry().strides[0][1]),
        size_(element_size(dtype)),
        stream_(stream),
        unpack_(stream ? plane_kernels().stream_of(size_) : plane_kernels().copy_of(size_)),
        conversion_(conversions()(result, dtype)) {}

  Target block(const Tile& tile) {
    packed_ = is_packed(Plane{tile.at[0], element_, row_}, tile.length, tile.rows, size_);
    if (packed_ && conversion_ == nullptr) return {tile.at[0], stream_};
    return {scratch_[0].bytes, false};
  }
  /// After the block was computed.
  void store(const Tile& tile) {
    const std::byte* from = scratch_[0].bytes;
    if (conversion_ == nullptr) {
      if (packed_) return;
    } else {
      const bool in_place = packed_ && !stream_;
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
  bool stream_;
  bool packed_ = false;  ///< the tile that block() was called for
  PlaneCopy unpack_;
  Conversion conversion_;
  Scratch scratch_[2];
};

void compute(UnaryBlock block, const Tile& tile, const Target& out, Reader* in) {
  block(out.at, out.stream, in[0].block(tile), tile.length * tile.rows);
}

void compute(const BinaryBlocks& blocks, const Tile& tile, const Target& out, Reader* in) {
  Reader& a = in[0];
  Reader& b = in[1];
  const std::int64_t count = tile.length * tile.rows;
  if (a.repeats(tile)) {
    blocks.a_repeats(out.at, out.stream, a.element(tile), b.block(tile), count);
  } else if (b.repeats(tile)) {
    blocks.b_repeats(out.at, out.stream, a.block(tile), b.element(tile), count);
  } else {
    blocks.each(out.at, out.stream, a.block(tile), b.block(tile), count);
  }
}

void compute(BinaryBlock block, const Tile& tile, const Target& out, Reader* in) {
  block(out.at, out.stream, in[0].block(tile), in[1].block(tile), tile.length * tile.rows);
}

void compute(TernaryBlock block, const Tile& tile, const Target& out, Reader* in) {
  block(out.at, out.stream, in[0].block(tile), in[1].block(tile), in[2].block(tile), tile.length * tile.rows);
}

/// An operation in one compute type.
template <typename Blocks>
struct Kernel {
  const Blocks& blocks;
  Dtype common;
  Dtype result;  ///< of the blocks

  /// Whether arrays of these dtypes need no conversion.
  template <typename... Operands>
  bool takes(const Array& out, const Operands&... in) const {
    return compute_dtype(common) == common && out.dtype == result && ((in.dtype == common) && ...);
  }
};

Kernel<UnaryBlock> kernel_of(Unary operation, Dtype common) {
  const auto index = static_cast<std::size_t>(operation);
  return {element_blocks().unary[index][compute_index(common)], common,
          kIsUnaryPredicate[index] ? bool_ : compute_dtype(common)};
}

Kernel<BinaryBlocks> kernel_of(Binary operation, Dtype common) {
  const auto index = static_cast<std::size_t>(operation);
  return {element_blocks().binary[index][compute_index(common)], common,
          kIsBinaryPredicate[index] ? bool_ : compute_dtype(common)};
}

Kernel<TernaryBlock> kernel_of(Ternary operation, Dtype common) {
  return {element_blocks().ternary[static_cast<std::size_t>(operation)][compute_index(common)], common,
          compute_dtype(common)};
}

/// The block that needs no scratch for rows with these steps (in bytes, of elements of `size`); null if there
/// is none.
UnaryBlock direct_block(UnaryBlock block, std::int64_t size, std::int64_t a_step) {
  return a_step == size ? block : nullptr;
}
UnaryBlock direct_block(UnaryBlock block, std::int64_t size, const Geometry& geometry) {
  return direct_block(block, size, geometry.strides[1][0]);
}
BinaryBlock direct_block(const BinaryBlocks& blocks, std::int64_t size, std::int64_t a_step,
                         std::int64_t b_step) {
  if (b_step == size) return a_step == size ? blocks.each : a_step == 0 ? blocks.a_repeats : nullptr;
  return a_step == size && b_step == 0 ? blocks.b_repeats : nullptr;
}

BinaryBlock direct_block(const BinaryBlocks& blocks, std::int64_t size, const Geometry& geometry) {
  return direct_block(blocks, size, geometry.strides[1][0], geometry.strides[2][0]);
}
BinaryBlock direct_block(BinaryBlock block, std::int64_t size, const Geometry& geometry) {
  return geometry.strides[1][0] == size && geometry.strides[2][0] == size ? block : nullptr;
}
TernaryBlock direct_block(TernaryBlock block, std::int64_t size, const Geometry& geometry) {
  const auto steps_on = [&](const auto& strides) { return strides[0] == size; };
  return std::all_of(&geometry.strides[1], &geometry.strides[1] + 3, steps_on) ? block : nullptr;
}

void call(UnaryBlock block, bool stream, const Tile& row) {
  block(row.at[0], stream, row.at[1], row.length);
}
void call(BinaryBlock block, bool stream, const Tile& row) {
  block(row.at[0], stream, row.at[1], row.at[2], row.length);
}
void call(TernaryBlock block, bool stream, const Tile& row) {
  block(row.at[0], stream, row.at[1], row.at[2], row.at[3], row.length);
}

template <typename Blocks, typename... Operands>
void run(const Kernel<Blocks>& kernel, const Geometry& geometry, const Array& out, const Operands&... in) {
  const std::int64_t out_size = element_size(out.dtype);
  const Tiling tiling(geometry, kBlock, 32);
  const std::array<std::byte*, kMaxArrays> base{static_cast<std::byte*>(out.data),
                                                static_cast<std::byte*>(in.data)...};
  const bool stream = geometry.numel * out_size >= kStreamBytes && ((in.data != out.data) && ...);

  if (tiling.rows() == 1 && geometry.strides[0][0] == out_size && kernel.takes(out, in...)) {
    if (const auto block = direct_block(kernel.blocks, element_size(kernel.common), geometry)) {
      parallel_ranges(tiling.count(), geometry.numel, [&](std::int64_t begin, std::int64_t end) {
        tiling.walk(base, begin, end, [&](const Tile& row) { call(block, stream, row); });
        if (stream) finish_streaming();
      });
      return;
    }
  }
  parallel_ranges(tiling.count(), geometry.numel, [&](std::int64_t begin, std::int64_t end) {
    std::size_t array = 0;
    Reader readers[] = {Reader(tiling, ++array, in.dtype, kernel.common)...};
    Writer writer(tiling, out.dtype, kernel.result, stream);
    tiling.walk(base, begin, end, [&](const Tile& tile) {
      compute(kernel.blocks, tile, writer.block(tile), readers);
      writer.store(tile);
    });
    if (stream) finish_streaming();
  });
}

template <typename Blocks, typename... Operands>
void apply_strided(const Kernel<Blocks>& kernel, std::span<const std::int64_t> sizes, const Array& out,
                   const Operands&... in) {
  const ArrayStrides strides[] = {{out.strides, element_size(out.dtype)},
                                  {in.strides, element_size(in.dtype)}...};
  const Geometry geometry = make_geometry(sizes, strides);
  if (geometry.numel > 0) run(kernel, geometry, out, in...);
}

void apply_strided(const GradientBlock& block, Dtype common, std::span<const std::int64_t> sizes,
                   const Array& out, std::span<const Array> in) {
  const Dtype result = compute_dtype(common);
  if (in.size() == 1) apply_strided(Kernel<UnaryBlock>{block.of_grad, common, result}, sizes, out, in[0]);
  if (in.size() == 2)
    apply_strided(Kernel<BinaryBlock>{block.with_one, common, result}, sizes, out, in[0], in[1]);
  if (in.size() == 3)
    apply_strided(Kernel<TernaryBlock>{block.with_both, common, result}, sizes, out, in[0], in[1], in[2]);
}

template <typename Operation, typename... Operands>
void apply_dense(Operation operation, Dtype common, std::int64_t numel, const Array& out,
                 const Operands&... in) {
  if (numel == 0) return;
  const auto kernel = kernel_of(operation, common);
  const auto step = [](const Array& operand) { return operand.is_scalar ? 0 : element_size(operand.dtype); };
  if (numel <= kParallelElements && kernel.takes(out, in...)) {
    if (const auto block = direct_block(kernel.blocks, element_size(common), step(in)...)) {
      block(out.data, false, in.data..., numel);
      return;
    }
  }
  const std::int64_t steps[] = {element_size(out.dtype), step(in)...};
  run(kernel, contiguous_geometry(numel, steps), out, in...);
}

}  // namespace

void apply_unary(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                 const Array& a) {
  apply_strided(kernel_of(operation, common), sizes, out, a);
}

void apply_binary(Binary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                  const Array& a, const Array& b) {
  apply_strided(kernel_of(operation, common), sizes, out, a, b);
}

void apply_ternary(Ternary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                   const Array& a, const Array& b, const Array& c) {
  apply_strided(kernel_of(operation, common), sizes, out, a, b, c);
}

void apply_unary_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes,
                          const Array& out, std::span<const Array> in) {
  const auto& blocks = gradient_blocks().unary[static_cast<std::size_t>(operation)];
  apply_strided(blocks[compute_index(common)], common, sizes, out, in);
}

void apply_binary_gradient(Binary operation, Side side, Dtype common, std::span<const std::int64_t> sizes,
                           const Array& out, std::span<const Array> in) {
  const auto& blocks =
      gradient_blocks().binary[static_cast<std::size_t>(operation)][static_cast<std::size_t>(side)];
  apply_strided(blocks[compute_index(common)], common, sizes, out, in);
}

void apply_contiguous(Unary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a) {
  apply_dense(operation, common, numel, out, a);
}

void apply_contiguous(Binary operation, Dtype common, std::int64_t numel, const Array& out, const Array& a,
                      const Array& b) {
  apply_dense(operation, common, numel, out, a, b);
}

}  // namespace lectern::kernels::cpu
