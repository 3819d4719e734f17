#include <cstddef>

#include "device/copy.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/scratch.h"
#include "kernels/mask_run.h"
#include "kernels/nonzero.h"

namespace lectern::kernels::cuda {
namespace {

/// Values summed by a thread.
constexpr std::int64_t kChunk = 64;

struct CountKernel {
  const bool* mask;
  std::int64_t count;
  std::int64_t* set;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t run = thread; run < mask_runs(count); run += threads)
      set[run] = count_run(count, mask, run);
  }
};

struct ChunkSumKernel {
  const std::int64_t* values;
  std::int64_t count;
  std::int64_t* sums;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t chunk = thread; chunk * kChunk < count; chunk += threads) {
      std::int64_t sum = 0;
      for (std::int64_t i = chunk * kChunk; i < count && i < (chunk + 1) * kChunk; ++i) sum += values[i];
      sums[chunk] = sum;
    }
  }
};

/// Exclusive sums: each value becomes the sum of those before it in its chunk, plus `before`.
struct ChunkScanKernel {
  std::int64_t* values;
  std::int64_t count;
  const std::int64_t* before;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t chunk = thread; chunk * kChunk < count; chunk += threads) {
      std::int64_t sum = before[chunk];
      for (std::int64_t i = chunk * kChunk; i < count && i < (chunk + 1) * kChunk; ++i) {
        const std::int64_t value = values[i];
        values[i] = sum;
        sum += value;
      }
    }
  }
};

/// Takes the total from the last sum, which becomes 0.
struct TakeTotalKernel {
  std::int64_t* sum;
  std::int64_t* total;

  LECTERN_HD void operator()(std::int64_t, std::int64_t) const {
    *total = *sum;
    *sum = 0;
  }
};

/// Each value becomes the sum of those before it; `*total` the sum of all.
void exclusive_sums(std::int64_t* values, std::int64_t count, std::int64_t* total) {
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  const Scratch scratch(static_cast<std::size_t>(chunks) * sizeof(std::int64_t));
  auto* const sums = static_cast<std::int64_t*>(scratch.data());
  launch_for(chunks, ChunkSumKernel{values, count, sums});
  if (chunks > 1) {
    exclusive_sums(sums, chunks, total);
  } else {
    launch_threads(1, 1, TakeTotalKernel{sums, total});
  }
  launch_for(chunks, ChunkScanKernel{values, count, sums});
}

struct FillKernel {
  MaskShape shape;
  const bool* mask;
  const std::int64_t* starts;
  std::int64_t* out;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t run = thread; run < mask_runs(shape.count()); run += threads) {
      fill_run(shape, mask, run, out + starts[run] * shape.rank());
    }
  }
};

}  // namespace

std::int64_t count_true(std::int64_t count, const bool* mask, std::int64_t* starts) {
  const std::int64_t runs = mask_runs(count);
  if (runs == 0) return 0;
  launch_for(runs, CountKernel{mask, count, starts});
  const Scratch there(sizeof(std::int64_t));
  exclusive_sums(starts, runs, static_cast<std::int64_t*>(there.data()));
  std::int64_t total = 0;
  lectern::cuda::copy(&total, there.data(), sizeof total);
  return total;
}

void fill_nonzero(std::span<const std::int64_t> sizes, const bool* mask, const std::int64_t* starts,
                  std::int64_t* out) {
  const MaskShape shape(sizes);
  launch_for(mask_runs(shape.count()), FillKernel{shape, mask, starts, out});
}

}  // namespace lectern::kernels::cuda
