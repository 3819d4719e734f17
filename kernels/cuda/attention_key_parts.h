#pragma once

#include <algorithm>
#include <cstdint>

#include "base/host_device.h"
#include "kernels/attention.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/mma.h"
#include "kernels/cuda/scratch.h"
#include "kernels/math.h"

// Few queries of many keys would leave most of a GPU idle, as those of a token that is generated. Blocks then
// have parts of the keys, and what each found of a query is joined (Dao et al. 2023, "Flash-Decoding").

namespace lectern::kernels::cuda {

/// Results and their statistics, in float32: of the problem itself, or of each part.
struct KeyParts {
  int count = 1;
  float* out = nullptr;          ///< [count, rows, head], where there are several parts
  float* log_sum_exp = nullptr;  ///< [count, rows]
  std::int64_t rows = 0;         ///< queries of the batch
  std::int64_t head = 0;

  struct Range {
    int begin, end;
  };
  /// The blocks of keys, among so many, of a block of threads.
  LECTERN_HD Range range(int part, int key_blocks) const {
    const int each = blocks_of(key_blocks, count), begin = part * each;
    return {begin, begin + each < key_blocks ? begin + each : key_blocks};
  }

  LECTERN_HD float* out_of(int part, std::int64_t row) const { return out + (part * rows + row) * head; }
  LECTERN_HD float* log_sum_exp_of(int part, std::int64_t row) const {
    return log_sum_exp + part * rows + row;
  }
};

/// Joins what the parts found of a query, by a block: each by the share of its weights in all.
template <typename T>
struct JoinPartsKernel {
  AttentionProblem problem;
  AttentionMatrices out;
  float* log_sum_exp;
  KeyParts parts;

  template <typename Block>
  LECTERN_HD void operator()(const Block& block, std::int64_t row) const {
    const int rank = block.rank();
    float largest = kMaskedScore;
    for (int p = rank; p < parts.count; p += Block::size())
      largest = math::maximum(largest, exponent(p, row));
    largest = block.reduce(largest, [](float a, float b) { return math::maximum(a, b); });
    const float base = anchor(largest, 1);
    float total = 0;
    for (int p = rank; p < parts.count; p += Block::size()) total += exp2_fast(exponent(p, row) - base);
    total = block.reduce(total, [](float a, float b) { return a + b; });
    if (rank == 0) log_sum_exp[row] = kLn2 * (base + log2_fast(total));

    using Sums = SumsOfWarps<Block::size() / kWarpThreads>;
    Sums& sums = block.template shared<Sums>();
    add_parts(sums.at[rank / kWarpThreads], row, base, rank / kWarpThreads, Block::size() / kWarpThreads,
              rank % kWarpThreads);
    block.sync();
    T* const to = batch_position(problem.batch, static_cast<int>(row / problem.queries)).in<T>(out) +
                  row % problem.queries * out.row;
    for (int column = rank; column < problem.head; column += Block::size()) {
      float sum = 0;
      for (const auto& of_warp : sums.at) sum += of_warp[column];
      to[column] = static_cast<T>(sum * (1 / total));  // of no keys infinite, and 0 times it NaN
    }
  }

 private:
  static constexpr int kMostColumns = 128, kColumns = kMostColumns / kWarpThreads;

  template <int kWarps>
  struct SumsOfWarps {
    float at[kWarps][kMostColumns];
  };

  /// Of every so many parts from the first one on, by a warp.
  LECTERN_HD void add_parts(float (&to)[kMostColumns], std::int64_t row, float base, int first, int step,
                            int lane) const {
    float sums[kColumns] = {};
    for (int p = first; p < parts.count; p += step) {
      const float weight = exp2_fast(exponent(p, row) - base);
      if (weight == 0) continue;  // it saw no keys, and found NaN
      LECTERN_UNROLLED
      for (int i = 0; i < kColumns; ++i) {
        const int column = lane + i * kWarpThreads;
        if (column < parts.head) sums[i] = math::fma(weight, parts.out_of(p, row)[column], sums[i]);
      }
    }
    LECTERN_UNROLLED
    for (int i = 0; i < kColumns; ++i) to[lane + i * kWarpThreads] = sums[i];
  }

  LECTERN_HD float exponent(int part, std::int64_t row) const {
    return *parts.log_sum_exp_of(part, row) * kLog2E;
  }
};

/// Of how many parts: so that all multiprocessors have blocks, if most would not, and each enough to do that
/// joining takes little beside it.
inline int parts_of_keys(const AttentionProblem& problem, std::int64_t blocks, int blocks_per_multiprocessor,
                         int keys_of_block) {
  constexpr std::int64_t kFewestParts = 4, kFewestKeyBlocks = 4;
  const std::int64_t resident = std::int64_t{current_gpu().multi_processor_count} * blocks_per_multiprocessor;
  const std::int64_t wanted = resident / blocks;
  if (wanted < kFewestParts) return 1;
  return static_cast<int>(
      std::clamp<std::int64_t>(problem.keys / (kFewestKeyBlocks * keys_of_block), 1, wanted));
}

/// launch(parts) of Kernel, of which there are so many blocks for all keys; then joins the parts.
template <typename T, typename Kernel, typename Launch>
void launch_key_parts(const AttentionProblem& problem, const AttentionMatrices& out, float* log_sum_exp,
                      std::int64_t blocks, const Launch& launch) {
  KeyParts parts{.count = parts_of_keys(problem, blocks, Kernel::kBlocksPerMultiprocessor, Kernel::kKeys),
                 .rows = batches_of(problem.batch) * problem.queries,
                 .head = problem.head};
  if (parts.count == 1) return launch(parts);
  const std::int64_t found = parts.count * parts.rows;
  const Scratch memory(static_cast<std::size_t>(found * (problem.head + 1)) * sizeof(float));
  parts.out = static_cast<float*>(memory.data());
  parts.log_sum_exp = parts.out + found * problem.head;
  launch(parts);
  launch_blocks(parts.rows, JoinPartsKernel<T>{problem, out, log_sum_exp, parts});
}

}  // namespace lectern::kernels::cuda
