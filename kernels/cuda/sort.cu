#include <cstddef>
#include <utility>

#include "device/copy.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/scratch.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

/// At most so many keys of a row are sorted by comparing all with all: that takes a thread some microseconds,
/// as a launch does that merges.
constexpr std::int64_t kLongestFirstRun = 512;

struct Keys {
  std::uint64_t* key;
  std::int64_t* place;
};

/// Runs, where each thread counts the keys that come before its own.
struct FirstPass {
  const std::uint64_t* in;
  Keys out;
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

/// Merges pairs of neighbouring runs: each thread searches for its key in the other run of the pair.
struct MergePass {
  Keys in;
  Keys out;
  std::int64_t count, columns, run;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      const std::int64_t column = i % columns;
      const std::int64_t begin = column / (2 * run) * (2 * run);
      const std::int64_t middle = begin + run < columns ? begin + run : columns;
      const std::int64_t end = middle + run < columns ? middle + run : columns;
      const bool in_second = column >= middle;
      const std::uint64_t* const row = in.key + (i - column);
      const std::uint64_t key = in.key[i];
      std::int64_t low = in_second ? begin : middle;
      std::int64_t high = in_second ? middle : end;
      while (low < high) {
        const std::int64_t half = low + (high - low) / 2;
        const bool before = in_second ? row[half] <= key : row[half] < key;
        (before ? low : high) = before ? half + 1 : half;
      }
      // A key of the first run advances by those of the second before it, low - middle; one of the second
      // goes back by those of the first after it, middle - low.
      const std::int64_t at = i + low - middle;
      out.key[at] = key;
      out.place[at] = in.place[i];
    }
  }
};

/// The length of the first runs. The passes then are even in number, and the last one ends where the keys
/// were.
std::int64_t first_run(std::int64_t columns) {
  const auto passes = [columns](std::int64_t run) {
    int count = 1;
    for (; run < columns; run *= 2) ++count;
    return count;
  };
  std::int64_t run = kLongestFirstRun;
  while (run > 1 && passes(run) % 2 != 0) run /= 2;
  return run;
}

}  // namespace

void sort_rows(std::int64_t rows, std::int64_t columns, std::uint64_t* keys, std::int64_t* places) {
  const std::int64_t count = rows * columns;
  if (count == 0) return;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  const Scratch key_scratch(bytes), place_scratch(bytes);
  Keys there{static_cast<std::uint64_t*>(key_scratch.data()),
             static_cast<std::int64_t*>(place_scratch.data())};
  Keys here{keys, places};
  const std::int64_t first = first_run(columns);
  launch_for(count, FirstPass{here.key, there, count, columns, first});
  std::swap(here, there);
  for (std::int64_t run = first; run < columns; run *= 2) {
    launch_for(count, MergePass{here, there, count, columns, run});
    std::swap(here, there);
  }
  if (here.key == keys) return;  // always, but for rows of one key
  lectern::cuda::enqueue_copy(keys, here.key, bytes);
  lectern::cuda::enqueue_copy(places, here.place, bytes);
}

void sort_first(std::int64_t rows, std::int64_t columns, std::int64_t, std::uint64_t* keys,
                std::int64_t* places) {
  sort_rows(rows, columns, keys, places);
}

}  // namespace lectern::kernels::cuda
