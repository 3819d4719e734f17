#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/planes.h"
#include "kernels/lines.h"

namespace lectern::kernels {

/// An array of lines that are read, or written, as numbers of a compute type that lie one after the other.
struct LineArray {
  Array array;
  bool written = false;
};

/// Goes from line to line, on one thread. Lines that are contiguous and of the compute type are used where
/// they are; others pass through a scratch, 16 neighbours at a time, or fewer where they are long: so columns
/// are read as they lie in memory.
template <std::size_t kArrays>
class LineWalk {
 public:
  LineWalk(const Lines& lines, Dtype compute, const std::array<LineArray, kArrays>& arrays)
      : lines_(lines),
        number_size_(element_size(compute)),
        tile_(std::clamp<std::int64_t>(kScratchNumbers / std::max<std::int64_t>(1, lines.length), 1, 16)) {
    for (std::size_t k = 0; k < kArrays; ++k) {
      const Array& array = arrays[k].array;
      Side& side = sides_[k];
      side.data = static_cast<std::byte*>(array.data);
      side.size = element_size(array.dtype);
      side.written = arrays[k].written;
      side.load = conversions()(array.dtype, compute);
      side.store = conversions()(compute, array.dtype);
      side.direct = side.load == nullptr && (lines.step[k] == side.size || lines.length == 1);
      if (side.direct) continue;
      side.numbers = scratch(number_size_);
      if (side.load != nullptr) side.packed = scratch(side.size);
    }
  }

  using Numbers = std::array<std::byte*, kArrays>;
  using Pitch = std::array<std::int64_t, kArrays>;

  /// Calls visit(line, numbers of each array) for the lines `begin` … `end` - 1.
  template <typename Visit>
  void visit(std::int64_t begin, std::int64_t end, const Visit& visit) {
    visit_tiles(begin, end, [&](std::int64_t line, std::int64_t count, Numbers numbers, const Pitch& pitch) {
      for (std::int64_t i = 0; i < count; ++i) {
        visit(line + i, numbers);
        for (std::size_t k = 0; k < kArrays; ++k) numbers[k] += pitch[k];
      }
    });
  }

  /// Calls visit(first line, count, its numbers of each array, bytes from one line's to the next one's) for
  /// the same lines, at most 16 at a time.
  template <typename Visit>
  void visit_tiles(std::int64_t begin, std::int64_t end, const Visit& visit) {
    const std::int64_t row = lines_.kept.sizes[0];
    for (std::int64_t line = begin; line < end;) {
      const std::int64_t count = std::min({tile_, end - line, row - line % row});
      Numbers numbers;
      Pitch pitch;
      for (std::size_t k = 0; k < kArrays; ++k) {
        Side& side = sides_[k];
        side.at = line_of(lines_, k, side.data, line);
        if (!side.direct && !side.written) load(k, count);
        numbers[k] = side.direct ? side.at : side.numbers.get();
        pitch[k] = side.direct ? lines_.kept.strides[k][0] : lines_.length * number_size_;
      }
      visit(line, count, numbers, pitch);
      for (std::size_t k = 0; k < kArrays; ++k) {
        if (!sides_[k].direct && sides_[k].written) store(k, count);
      }
      line += count;
    }
  }

 private:
  static constexpr std::int64_t kScratchNumbers = 1 << 16;

  struct Side {
    std::byte* data;
    std::byte* at;      ///< the first line of the tile
    std::int64_t size;  ///< of an element
    bool written;
    bool direct;
    Conversion load, store;
    std::unique_ptr<std::byte[]> numbers, packed;
  };

  std::unique_ptr<std::byte[]> scratch(std::int64_t size) const {
    return std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(tile_ * lines_.length * size));
  }

  template <typename Byte>
  BasicPlane<Byte> plane(std::size_t k) const {
    return {sides_[k].at, lines_.step[k], lines_.kept.strides[k][0]};
  }

  void load(std::size_t k, std::int64_t count) const {
    const Side& side = sides_[k];
    std::byte* const packed = side.load == nullptr ? side.numbers.get() : side.packed.get();
    const ConstPlane from = plane<const std::byte>(k);
    if (side.load != nullptr && is_packed(from, lines_.length, count, side.size)) {
      side.load(side.numbers.get(), from.data, count * lines_.length);
      return;
    }
    plane_kernels().copy_of(side.size)({packed, side.size, lines_.length * side.size}, from, lines_.length,
                                       count);
    if (side.load != nullptr) side.load(side.numbers.get(), packed, count * lines_.length);
  }

  void store(std::size_t k, std::int64_t count) const {
    const Side& side = sides_[k];
    const Plane to = plane<std::byte>(k);
    const bool packed = is_packed(to, lines_.length, count, side.size);
    if (side.store != nullptr) {
      side.store(packed ? to.data : side.packed.get(), side.numbers.get(), count * lines_.length);
      if (packed) return;
    }
    const std::byte* const from = side.store == nullptr ? side.numbers.get() : side.packed.get();
    plane_kernels().copy_of(side.size)(to, {from, side.size, lines_.length * side.size}, lines_.length,
                                       count);
  }

  const Lines& lines_;
  std::int64_t number_size_;
  std::int64_t tile_;  ///< lines that pass through the scratch at a time
  std::array<Side, kArrays> sides_;
};

}  // namespace lectern::kernels
