#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cuda/elements.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/row.h"

// Contiguous rows in memory, taken 16 bytes at a time wherever they begin (interface: kernels/row.h).

namespace lectern::kernels::cuda {

/// A thread's part of a row.
template <ComputeType C, int kCount>
struct RowChunk {
  C value[kCount];

  LECTERN_HD C operator[](std::int64_t i) const { return value[i]; }
  LECTERN_HD C& operator[](std::int64_t i) { return value[i]; }
};

/// Packs that a thread has read of a row; those that it does not have are 0.
template <typename T, int kPacks>
struct PackBatch {
  using Chunk = RowChunk<Compute<T>, kPacked<T>>;
  RawPack packs[kPacks] = {};

  LECTERN_HD Chunk chunk(int k) const {
    Chunk chunk;
    LECTERN_UNROLLED
    for (int i = 0; i < kPacked<T>; ++i) chunk[i] = packs[k].template number<T>(i);
    return chunk;
  }
};

/// Contiguous elements of type T, fewer than kMostWide, in any alignment. A thread of rank r takes packs r,
/// r + size, … of those between 16-byte boundaries and, of the elements before and after them, one.
inline constexpr std::int64_t kMostWide = std::int64_t{1} << 30;
template <typename T>
class WideRow {
 public:
  using Value = Compute<T>;
  using Chunk = RowChunk<Value, kPacked<T>>;
  static constexpr int kChunk = kPacked<T>;
  static constexpr int kBatch = 4;
  static constexpr bool kNear = false, kHeld = false, kShort = sizeof(T) <= 2;

  LECTERN_HD WideRow(T* data, std::int64_t count) : data_(data), count_(static_cast<int>(count)) {
    const auto past = static_cast<int>(reinterpret_cast<std::uintptr_t>(data) % kPackBytes);
    const int head = (kPackBytes - past) % kPackBytes / static_cast<int>(sizeof(T));
    head_ = head < count_ ? head : count_;
  }

  LECTERN_HD Value operator[](std::int64_t i) const { return static_cast<Value>(data_[i]); }
  LECTERN_HD WideRow before_next(std::int64_t) const { return *this; }

  template <typename Group>
  LECTERN_HD ChunkPlaces places(const Group& group) const {
    return {group.rank(), group.size(), packs(), head_};
  }
  template <int kPacks>
  LECTERN_HD PackBatch<T, kPacks> read(const ChunkPlaces& places) const {
    PackBatch<T, kPacks> batch;
    LECTERN_UNROLLED
    for (int k = 0; k < kPacks; ++k) {
      if (places.has(k)) batch.packs[k] = read_pack(pack(places.number(k)));
    }
    return batch;
  }
  LECTERN_HD PackBatch<T, kBatch> batch(const ChunkPlaces& places) const { return read<kBatch>(places); }

  template <typename Group>
  LECTERN_HD int edge(const Group& group) const {
    const int rank = group.rank();
    const int index = rank < head_ ? rank : rank + packs() * kChunk;
    return index < count_ && (rank < head_ || index >= head_ + packs() * kChunk) ? index : -1;
  }
  LECTERN_HD Value at_edge(int edge) const { return (*this)[edge]; }

  LECTERN_HD Chunk open(int) const { return {}; }
  LECTERN_HD void close(int number, const Chunk& chunk) const {
    write_pack(pack(number), RawPack::of<T>(chunk.value));
  }
  LECTERN_HD void set(std::int64_t i, Value value) const { data_[i] = convert_number<T>(value); }

 private:
  LECTERN_HD int packs() const { return (count_ - head_) / kChunk; }
  LECTERN_HD T* pack(int number) const { return data_ + head_ + static_cast<std::int64_t>(number) * kChunk; }

  T* data_;
  int count_;
  int head_;
};

/// A WideRow whose elements the threads of a group have read: up to kPacks packs each.
template <typename T, int kPacks>
class HeldRow : public WideRow<T> {
 public:
  static constexpr int kBatch = kPacks;
  static constexpr bool kHeld = true;

  template <typename Group>
  LECTERN_HD HeldRow(const Group& group, const WideRow<T>& row)
      : WideRow<T>(row), held_(row.template read<kPacks>(row.places(group))) {
    const int edge = row.edge(group);
    if (edge >= 0) edge_ = row.at_edge(edge);
  }

  LECTERN_HD HeldRow before_next(std::int64_t) const { return *this; }
  LECTERN_HD const PackBatch<T, kPacks>& batch(const ChunkPlaces&) const { return held_; }
  LECTERN_HD Compute<T> at_edge(int) const { return edge_; }

 private:
  PackBatch<T, kPacks> held_;
  Compute<T> edge_ = 0;
};

}  // namespace lectern::kernels::cuda
