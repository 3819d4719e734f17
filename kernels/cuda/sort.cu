#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/radix_sort.h"
#include "kernels/cuda/scratch.h"
#include "kernels/sort.h"
#include "kernels/vectorize.h"

namespace lectern::kernels::cuda {
namespace {

/// At most so many keys of a row are sorted by comparing all with all: that takes a thread some microseconds,
/// as a launch does that merges.
constexpr std::int64_t kLongestFirstRun = 512;

/// Runs, where each thread counts the keys that come before its own.
struct FirstPass {
  const std::uint64_t* in;
  KeysAndPlaces out;
  std::int64_t count, columns, run;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      const std::int64_t column = i % columns;
      const std::int64_t first = column / run * run;
      const std::int64_t begin = i - column + first;
      const std::int64_t length = columns - first < run ? columns - first : run;
      const std::uint64_t key = in[i];
      std::int64_t at = begin;
#ifdef __CUDA_ARCH__
#pragma unroll 8
#endif
      for (std::int64_t j = begin; j < begin + length; ++j) {
        if (in[j] < key || (in[j] == key && j < i)) ++at;
      }
      out.key[at] = key;
      out.place[at] = column;
    }
  }
};

/// Runs that are merged at a time.
constexpr int kFan = 16;

/// Merges neighbouring runs: each thread counts the keys of the other ones that come before its own. These
/// searches do not wait for each other.
struct MergePass {
  KeysAndPlaces in;
  KeysAndPlaces out;
  std::int64_t count, columns, run;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      const std::int64_t column = i % columns;
      const std::int64_t begin = column / (kFan * run) * (kFan * run);
      const std::uint64_t* const runs = in.key + (i - column + begin);
      const auto length = static_cast<Count>(run), keys = static_cast<Count>(columns - begin);
      const auto own = static_cast<Count>((column - begin) / run);
      const std::uint64_t key = in.key[i];
      Count before[kFan] = {};
      for (Count step = length; step > 0; step /= 2) {
        LECTERN_UNROLLED
        for (int first = 0; first < kFan; first += kAtOnce) {
          advance(before + first, step, first, own, key, runs, length, keys);
        }
      }
      std::int64_t at = i - own * run;
      for (const Count others : before) at += others;
      out.key[at] = key;
      out.place[at] = in.place[i];
    }
  }

 private:
  using Count = std::int32_t;
  static constexpr int kAtOnce = 8;  ///< searches whose next keys are on their way together

  /// Run `first` and those after it: `step` further where so many more keys come before `key`. Equal ones
  /// stay in order.
  LECTERN_HD static void advance(Count* before, Count step, int first, Count own, std::uint64_t key,
                                 const std::uint64_t* runs, Count length, Count keys) {
    std::uint64_t last[kAtOnce];
    LECTERN_UNROLLED
    for (int r = 0; r < kAtOnce; ++r) {
      const Count at = (first + r) * length + before[r] + step - 1;
      last[r] = runs[at < keys ? at : keys - 1];
    }
    LECTERN_UNROLLED
    for (int r = 0; r < kAtOnce; ++r) {
      const Count run = first + r;
      const bool has = before[r] + step <= length && run * length + before[r] + step <= keys;
      const bool comes_before = run < own ? last[r] <= key : last[r] < key;
      if (has && run != own && comes_before) before[r] += step;
    }
  }
};

/// The length of the first runs. The passes then are even in number, and the last one ends where the keys
/// were.
std::int64_t first_run(std::int64_t columns) {
  const auto passes = [columns](std::int64_t run) {
    int count = 1;
    for (; run < columns; run *= kFan) ++count;
    return count;
  };
  std::int64_t run = kLongestFirstRun;
  while (run > 1 && passes(run) % 2 != 0) run /= 2;
  return run;
}

void merge_rows(std::int64_t count, std::int64_t columns, const KeysAndPlaces& keys,
                const KeysAndPlaces& workspace) {
  KeysAndPlaces here = keys, there = workspace;
  const std::int64_t first = first_run(columns);
  launch_for(count, FirstPass{here.key, there, count, columns, first});
  std::swap(here, there);
  for (std::int64_t run = first; run < columns; run *= kFan) {
    launch_for(count, MergePass{here, there, count, columns, run});
    std::swap(here, there);
  }
  copy_keys(keys, here, count);  // of rows of one key, which take one pass
}

}  // namespace

void sort_rows(std::int64_t rows, std::int64_t columns, int bits, std::uint64_t* keys, std::int64_t* places) {
  // So few keys wait for launches, of which merging takes two or three and a radix sort about ten.
  constexpr std::int64_t kFewKeys = 1 << 17, kFewColumns = kFan * kLongestFirstRun;
  const std::int64_t count = rows * columns;
  if (count == 0) return;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  const Scratch key_scratch(bytes), place_scratch(bytes);
  const KeysAndPlaces here{keys, places}, there{static_cast<std::uint64_t*>(key_scratch.data()),
                                                static_cast<std::int64_t*>(place_scratch.data())};
  const bool are_few = count <= kFewKeys || columns <= kFewColumns;
  if (are_few || !radix_sort_rows(rows, columns, bits, here, there)) merge_rows(count, columns, here, there);
}

void sort_first(std::int64_t rows, std::int64_t columns, std::int64_t, int bits, std::uint64_t* keys,
                std::int64_t* places) {
  sort_rows(rows, columns, bits, keys, places);
}

}  // namespace lectern::kernels::cuda
