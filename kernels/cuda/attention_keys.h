#pragma once

#include <cstdint>

#include "kernels/attention.h"
#include "kernels/cuda/attention_tiles.h"

namespace lectern::kernels::cuda {

/// Blocks of kKeys keys and their values in shared memory, two of each: one is copied while the other is
/// used.
template <int kKeys, int kHead>
struct KeyTiles {
  using Tile = SharedTile<kKeys, kHead>;
  static constexpr int kBytes = 4 * Tile::kBytes;

  SharedAddress base;

  LECTERN_HD Tile key(int block) const {
    return {base + static_cast<SharedAddress>(block % 2 * 2 * Tile::kBytes)};
  }
  LECTERN_HD Tile value(int block) const { return {key(block).base + Tile::kBytes}; }

  /// Starts to copy a block of the matrices `keys` and `values`, whose rows from there on are `left`, by all
  /// threads.
  template <int kThreads>
  LECTERN_HD void copy(ThreadOf<kThreads> thread, int block, const AttentionProblem& problem,
                       const std::uint16_t* keys, const std::uint16_t* values, int left, int head) const {
    key(block).copy_from(thread, keys + block * kKeys * problem.key.row, problem.key.row, left, head);
    value(block).copy_from(thread, values + block * kKeys * problem.value.row, problem.value.row, left, head);
    commit_copies();
  }
};

}  // namespace lectern::kernels::cuda
