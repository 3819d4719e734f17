#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/line_access.h"
#include "kernels/cuda/mma.h"
#include "kernels/cuda/opaque_value.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/wide_row.h"
#include "kernels/lines.h"

// Rows that a block takes one after the other, with what all rows share, such as weights, at hand: a thread
// has the same columns of each. It copies rows ahead into shared memory, where no other thread reads them, so
// that nothing but reductions makes it wait for others.

namespace lectern::kernels::cuda {

/// With so many threads, a multiprocessor has 128 registers for each: enough for four packs of a row and two
/// sums for each of their columns.
inline constexpr int kProcessorThreads = 512, kThreadPacks = 4;
/// Rows on their way while one is in registers.
inline constexpr int kStages = 2;

/// Threads of a block for rows of so many packs.
constexpr int one_pass_threads(std::int64_t packs) {
  int threads = 64;
  while (threads * kThreadPacks < packs) threads *= 2;
  return threads;
}

/// The packs of a row that a thread of a block has, in order (places of kernels/row.h). Whole are those of
/// rows with kThreadPacks for each thread: whether one is there is no question then, which took a third of
/// the instructions.
template <int kBlock, bool kWhole>
struct ThreadPacks {
  static constexpr int kThreads = kBlock;
  int rank, packs;

  LECTERN_HD int count() const { return kWhole ? kThreads * kThreadPacks : packs; }
  LECTERN_HD int number(int k) const { return rank + k * kThreads; }
  LECTERN_HD bool has(int k) const { return kWhole || number(k) < packs; }
  LECTERN_HD SharedAddress row_bytes() const { return static_cast<SharedAddress>(count()) * kPackBytes; }
  /// Calls visit(k, number of the k-th one in the row).
  template <typename Visit>
  LECTERN_HD void for_each(const Visit& visit) const {
    LECTERN_UNROLLED
    for (int k = 0; k < kThreadPacks; ++k) {
      if (has(k)) visit(k, number(k));
    }
  }
};

/// Calls visit(std::type_identity of the ThreadPacks of rows of so many packs); there are kFewest at least.
template <std::int64_t kFewest, typename Visit>
void with_thread_packs(std::int64_t packs, const Visit& visit) {
  const int threads = one_pass_threads(packs);
  const auto visit_block = [&]<int kBlock>(std::integral_constant<int, kBlock>) {
    if (packs == kBlock * kThreadPacks) return visit(std::type_identity<ThreadPacks<kBlock, true>>{});
    visit(std::type_identity<ThreadPacks<kBlock, false>>{});
  };
  if constexpr (one_pass_threads(kFewest) <= 64) {
    if (threads <= 64) return visit_block(std::integral_constant<int, 64>{});
  }
  if (threads <= 128) return visit_block(std::integral_constant<int, 128>{});
  if (threads <= 256) return visit_block(std::integral_constant<int, 256>{});
  visit_block(std::integral_constant<int, 512>{});
}

/// Calls visit(std::type_identity of the elements, one of T…; that of their ThreadPacks) if the arrays
/// consist of rows of packs; returns whether.
template <std::int64_t kFewest, typename... T, std::size_t kArrays, typename Visit>
bool visit_one_pass(const Lines& lines, const std::array<Array, kArrays>& arrays, const Visit& visit) {
  const auto visit_type = [&]<typename Element>(std::type_identity<Element> type) {
    if (!has_packed_rows<Element>(lines, arrays)) return false;
    with_thread_packs<kFewest>(lines.length / kPacked<Element>, [&](auto packs) { visit(type, packs); });
    return true;
  };
  return (visit_type(std::type_identity<T>{}) || ...);
}

/// Of shared memory, for rows of `arrays` arrays and `shared` rows of floats that all of them share.
constexpr std::int64_t one_pass_bytes(std::int64_t length, std::int64_t row_bytes, int arrays, int shared) {
  return kStages * arrays * row_bytes + shared * length * static_cast<std::int64_t>(sizeof(float));
}

/// Whether rows of at least `fewest` packs, of floats or halves, can be taken so.
inline bool has_one_pass(std::int64_t length, Dtype dtype, std::int64_t fewest, int arrays, int shared) {
  constexpr std::int64_t kReduceBytes = 1024;  // for what block.reduce() exchanges
  const std::int64_t bytes = length * element_size(dtype), packs = bytes / kPackBytes;
  return (dtype == float32 || dtype == float16 || dtype == bfloat16) && bytes % kPackBytes == 0 &&
         packs >= fewest && packs <= std::int64_t{kProcessorThreads} * kThreadPacks &&
         one_pass_bytes(length, bytes, arrays, shared) + kReduceBytes <=
             current_gpu().shared_memory_per_block_optin;
}

/// Where a row of an array begins.
struct RowsOfArray {
  std::byte* data;
  std::int64_t step;  ///< bytes from a row to the next

  LECTERN_HD std::byte* row(std::int64_t row) const { return data + row * step; }
};

template <typename T>
LECTERN_HD WideRow<T> wide_row(const RowsOfArray& array, std::int64_t row, int packs) {
  return {reinterpret_cast<T*>(array.row(row)), std::int64_t{packs} * kPacked<T>};
}

/// Of the k-th of the arrays, which are all those of `lines`.
template <std::size_t kArrays>
RowsOfArray rows_of_array(const Lines& lines, const std::array<Array, kArrays>& arrays, std::size_t k) {
  return {static_cast<std::byte*>(arrays[k].data), lines.kept.strides[k][0]};
}

/// A WideRow of whole packs that the threads of a block have in registers (interface: kernels/row.h).
template <typename T, typename Mine>
class StagedRow : public WideRow<T> {
 public:
  using Batch = PackBatch<T, kThreadPacks>;
  static constexpr int kBatch = kThreadPacks;
  static constexpr bool kHeld = true;

  LECTERN_HD StagedRow(const WideRow<T>& row, const Mine& mine, const Batch& held)
      : WideRow<T>(row), mine_(mine), held_(held) {}

  LECTERN_HD StagedRow before_next(std::int64_t) const { return *this; }
  template <typename Group>
  LECTERN_HD const Mine& places(const Group&) const {
    return mine_;
  }
  /// Halves as if they were read anew, so that each pass over the row converts them: kept as floats from one
  /// pass to the next they would take more registers than there are.
  LECTERN_HD Batch batch(const Mine&) const {
    Batch batch = held_;
    if constexpr (sizeof(T) < sizeof(float)) {
      LECTERN_UNROLLED
      for (RawPack& pack : batch.packs) {
        LECTERN_UNROLLED
        for (std::uint32_t& word : pack.words) word = opaque(word);
      }
    }
    return batch;
  }
  template <typename Group>
  LECTERN_HD int edge(const Group&) const {
    return -1;
  }

 private:
  Mine mine_;
  Batch held_;
};

/// The rows of kArrays arrays on their way to a thread.
template <typename T, typename Mine, int kArrays>
class RowStages {
 public:
  using Arrays = std::array<RowsOfArray, kArrays>;

  LECTERN_HD RowStages(SharedAddress memory, const Mine& mine, const Arrays& arrays)
      : mine_(mine), arrays_(arrays), memory_(memory), next_(memory) {}

  /// Copies a row, unless it is past the last one, to where the one kStages before it was.
  LECTERN_HD void copy(std::int64_t row, std::int64_t end) {
    if (row < end) {
      LECTERN_UNROLLED
      for (int a = 0; a < kArrays; ++a) {
        const std::byte* const from = arrays_[static_cast<std::size_t>(a)].row(row);
        mine_.for_each([&](int, int number) {
          copy_async<kPackBytes>(place(a, number), from + number * kPackBytes, true);
        });
      }
    }
    commit_copies();
    next_ = next_ == memory_ ? memory_ + stage_bytes() : memory_;
  }
  /// For the first row that was copied and not yet read.
  LECTERN_HD void wait() const { wait_for_copies<kStages - 1>(); }
  /// That row of an array; `row` is its number.
  LECTERN_HD StagedRow<T, Mine> read(int array, std::int64_t row) const {
    static_assert(kStages == 2);  // so that it lies where the next one will
    typename StagedRow<T, Mine>::Batch held;
    mine_.for_each([&](int k, int number) { held.packs[k] = load_shared<RawPack>(place(array, number)); });
    return {wide_row<T>(arrays_[static_cast<std::size_t>(array)], row, mine_.count()), mine_, held};
  }

 private:
  LECTERN_HD SharedAddress stage_bytes() const { return kArrays * mine_.row_bytes(); }
  LECTERN_HD SharedAddress place(int array, int number) const {
    return next_ + static_cast<SharedAddress>(array) * mine_.row_bytes() +
           static_cast<SharedAddress>(number) * kPackBytes;
  }

  const Mine& mine_;
  const Arrays& arrays_;
  SharedAddress memory_, next_;
};

/// Floats for the columns of rows of type T, which all rows share.
template <typename T, typename Mine>
class SharedColumns {
 public:
  static constexpr int kColumns = kPacked<T>;
  using Chunk = RowChunk<float, kColumns>;

  /// Copies them to `memory`, or one for all columns if `from` is null; they are there with the row that is
  /// copied next.
  LECTERN_HD SharedColumns(SharedAddress memory, const Mine& mine, const float* from, float otherwise)
      : mine_(mine), memory_(memory) {
    const RawPack same = RawPack::of<float>({otherwise, otherwise, otherwise, otherwise});
    mine.for_each([&](int, int number) {
      LECTERN_UNROLLED
      for (int p = 0; p < kPacks; ++p) {
        if (from == nullptr) {
          store_shared(place(p, number), same);
        } else {
          copy_async<kPackBytes>(place(p, number), from + number * kColumns + p * kPacked<float>, true);
        }
      }
    });
  }
  LECTERN_HD SharedAddress end() const { return memory_ + kPacks * mine_.row_bytes(); }
  /// For the columns of a pack.
  LECTERN_HD Chunk chunk(int number) const {
    Chunk chunk;
    LECTERN_UNROLLED
    for (int p = 0; p < kPacks; ++p) {
      const auto pack = load_shared<RawPack>(place(p, number));
      LECTERN_UNROLLED
      for (int c = 0; c < kPacked<float>; ++c) chunk[p * kPacked<float> + c] = pack.template number<float>(c);
    }
    return chunk;
  }

  /// Read only when they are looked at, as weights are by a row algorithm (kernels/row.h).
  struct Batch {
    const SharedColumns& columns;
    Mine mine;
    LECTERN_HD Chunk chunk(int k) const { return columns.chunk(mine.number(k)); }
  };
  LECTERN_HD Batch batch(const Mine& mine) const { return {*this, mine}; }
  LECTERN_HD float at_edge(int) const { return 0; }  // rows of packs have no edge

 private:
  static constexpr int kPacks = kColumns / kPacked<float>;

  /// The first packs of all packs' columns, then the second ones: threads side by side read neighbours.
  LECTERN_HD SharedAddress place(int p, int number) const {
    return memory_ + static_cast<SharedAddress>(p) * mine_.row_bytes() +
           static_cast<SharedAddress>(number) * kPackBytes;
  }

  const Mine& mine_;
  SharedAddress memory_;
};

}  // namespace lectern::kernels::cuda
