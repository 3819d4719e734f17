#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/conversions.h"
#include "kernels/cpu/line_target.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/streaming.h"
#include "kernels/lines.h"

namespace lectern::kernels::cpu {

/// Whether lines are streamed for large outputs.
enum class Streaming : std::uint8_t { never, lines, lines_with_draft };

/// Walks the lines, on one thread: the first array's are written, the others' read, as contiguous values of a
/// compute type. Lines that are so already are used in place. Others pass through a scratch buffer, 16
/// neighbours at a time, or fewer if they are long, so that columns are read in memory order.
template <std::size_t kArrays>
class LineWalk {
 public:
  LineWalk(const Lines& lines, Dtype compute, const std::array<Array, kArrays>& arrays, Streaming streaming)
      : lines_(lines),
        value_size_(element_size(compute)),
        tile_(std::clamp<std::int64_t>(kScratchValues / std::max<std::int64_t>(1, lines.length), 1, 16)) {
    for (std::size_t k = 0; k < kArrays; ++k) {
      Side& side = sides_[k];
      side.data = static_cast<std::byte*>(arrays[k].data);
      side.size = element_size(arrays[k].dtype);
      side.load = conversions()(arrays[k].dtype, compute);
      side.store = conversions()(compute, arrays[k].dtype);
      side.direct = side.load == nullptr && (lines.step[k] == side.size || lines.length == 1);
      if (side.direct) continue;
      side.values = Scratch(tile_ * lines.length * value_size_);
      if (side.load != nullptr) side.packed = Scratch(tile_ * lines.length * side.size);
    }
    const bool drafted = streaming == Streaming::lines_with_draft;
    stream_ = streaming != Streaming::never && sides_[0].direct &&
              lines.kept.numel * lines.length * value_size_ >= kStreamBytes &&
              !(drafted && lines.length > kLongestDraft);
    if (stream_ && drafted) draft_ = Scratch(lines.length * value_size_);
  }

  using Values = std::array<std::byte*, kArrays>;
  using Pitch = std::array<std::int64_t, kArrays>;

  /// Calls visit(line, values of each array) for the lines `begin` … `end` - 1.
  template <typename Visit>
  void visit(std::int64_t begin, std::int64_t end, const Visit& visit) {
    visit_tiles(begin, end, tile_,
                [&](std::int64_t line, std::int64_t count, Values values, const Pitch& pitch) {
                  visit(line, values);
                  for (std::int64_t i = 1; i < count; ++i) {
                    for (std::size_t k = 0; k < kArrays; ++k) values[k] += pitch[k];
                    visit(line + i, values);
                  }
                });
  }

  /// Calls visit(first line, count, its values in each array, bytes between lines) for the same lines, at
  /// most `most` at a time, and never more than 16.
  template <typename Visit>
  void visit_tiles(std::int64_t begin, std::int64_t end, std::int64_t most, const Visit& visit) {
    const std::int64_t row = lines_.kept.sizes[0];
    for (std::int64_t line = begin; line < end;) {
      const std::int64_t count = std::min({tile_, most, end - line, row - line % row});
      Values values;
      Pitch pitch;
      for (std::size_t k = 0; k < kArrays; ++k) {
        Side& side = sides_[k];
        side.at = line_address(lines_, k, side.data, line);
        if (!side.direct && k > 0) load(k, count);
        values[k] = side.direct ? side.at : side.values.data();
        pitch[k] = side.direct ? lines_.kept.strides[k][0] : lines_.length * value_size_;
      }
      visit(line, count, values, pitch);
      if (!sides_[0].direct) store(count);
      line += count;
    }
    if (stream_) finish_streaming();
  }

  /// The line that is written.
  template <typename T>
  LineTarget<T> target(std::byte* values) const {
    return {reinterpret_cast<T*>(values), reinterpret_cast<T*>(stream_ ? draft_.data() : values), stream_};
  }

 private:
  static constexpr std::int64_t kScratchValues = 1 << 16;
  static constexpr std::int64_t kLongestDraft = 1 << 18;  ///< that stays in a cache

  /// Memory aligned to a cache line.
  class Scratch {
   public:
    Scratch() = default;
    explicit Scratch(std::int64_t bytes)
        : lines_(std::make_unique_for_overwrite<Line[]>(
              static_cast<std::size_t>((bytes + kCacheLine - 1) / kCacheLine))) {}
    std::byte* data() const { return reinterpret_cast<std::byte*>(lines_.get()); }

   private:
    struct alignas(kCacheLine) Line {
      std::byte bytes[kCacheLine];
    };
    std::unique_ptr<Line[]> lines_;
  };

  struct Side {
    std::byte* data;
    std::byte* at;      ///< the first line of the tile
    std::int64_t size;  ///< of an element
    bool direct;
    Conversion load, store;
    Scratch values, packed;
  };

  template <typename Byte>
  BasicPlane<Byte> plane(std::size_t k) const {
    return {sides_[k].at, lines_.step[k], lines_.kept.strides[k][0]};
  }

  void load(std::size_t k, std::int64_t count) const {
    const Side& side = sides_[k];
    std::byte* const packed = side.load == nullptr ? side.values.data() : side.packed.data();
    const ConstPlane from = plane<const std::byte>(k);
    if (side.load != nullptr && is_packed(from, lines_.length, count, side.size)) {
      side.load(side.values.data(), from.data, count * lines_.length);
      return;
    }
    plane_kernels().copy_kernel(side.size)({packed, side.size, lines_.length * side.size}, from,
                                           lines_.length, count);
    if (side.load != nullptr) side.load(side.values.data(), packed, count * lines_.length);
  }

  void store(std::int64_t count) const {
    const Side& side = sides_[0];
    const Plane to = plane<std::byte>(0);
    const bool packed = is_packed(to, lines_.length, count, side.size);
    if (side.store != nullptr) {
      side.store(packed ? to.data : side.packed.data(), side.values.data(), count * lines_.length);
      if (packed) return;
    }
    const std::byte* const from = side.store == nullptr ? side.values.data() : side.packed.data();
    plane_kernels().copy_kernel(side.size)(to, {from, side.size, lines_.length * side.size}, lines_.length,
                                           count);
  }

  const Lines& lines_;
  std::int64_t value_size_;
  std::int64_t tile_;  ///< lines that pass through the scratch at a time
  std::array<Side, kArrays> sides_;
  bool stream_;
  Scratch draft_;
};

}  // namespace lectern::kernels::cpu
