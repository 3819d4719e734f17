#pragma once

#include <cstdint>

#include "kernels/cuda/launch.h"
#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/reduction_target.h"
#include "kernels/reduction_functors.h"
#include "kernels/reduction_geometry.h"

// Reductions of which neighbouring results are neighbours in memory, such as the sums of a matrix's columns:
// a thread takes a pack of results, and the warps of a block take parts of the same ones, which they merge.
// So few parts are left for a second kernel, which has only a thread for each result: with a part of each
// thread of a large matrix such a thread read dozens of states, one after the other.

namespace lectern::kernels::cuda {

/// How results and their elements are divided among threads: elements into `kept` parts, and these once more
/// among the warps of a block if `by_warps`.
struct ColumnParts {
  static constexpr int kWarps = kBlockThreads / kWarpThreads;

  std::int64_t packs, elements;
  std::int64_t kept;
  bool by_warps;

  /// Enough to occupy a GPU of 128 processors or a few more, on which three blocks fit each, and none is left
  /// over; of enough elements each.
  ColumnParts(std::int64_t packs_of_results, std::int64_t elements_of_each)
      : packs(packs_of_results), elements(elements_of_each) {
    constexpr std::int64_t kThreads = std::int64_t{128} * 3 * kBlockThreads, kLeastElements = 32;
    const std::int64_t most = elements < kLeastElements ? 1 : elements / kLeastElements;
    const std::int64_t wanted = packs > kThreads ? 1 : kThreads / (packs > 0 ? packs : 1);
    const std::int64_t parts = wanted < most ? wanted : most;
    by_warps = parts >= kWarps && packs >= kWarpThreads / 2;  // else most lanes would have no pack
    kept = by_warps ? parts / kWarps : parts;
  }
  std::int64_t blocks() const { return by_warps ? across() * kept : blocks_for(packs * kept); }

  /// What a thread has: a pack, if there is one, and of its elements those from `begin` to `end` - 1.
  struct Share {
    bool is_there;
    std::int64_t pack, kept_part, begin, end;
  };
  LECTERN_HD Share share(int rank, std::int64_t block) const {
    const std::int64_t i = block * kBlockThreads + rank;
    if (!by_warps) return share_of(i % packs, i / packs, i / packs, kept);
    const std::int64_t part = block / across();
    return share_of(block % across() * kWarpThreads + rank % kWarpThreads, part,
                    part * kWarps + rank / kWarpThreads, kept * kWarps);
  }

 private:
  LECTERN_HD std::int64_t across() const { return (packs + kWarpThreads - 1) / kWarpThreads; }
  LECTERN_HD Share share_of(std::int64_t pack, std::int64_t kept_part, std::int64_t part,
                            std::int64_t parts) const {
    return {pack < packs && part < parts, pack, kept_part, part * elements / parts,
            (part + 1) * elements / parts};
  }
};

/// One part of a pack of results. No more than kAhead elements are absorbed in sequence before they are
/// merged with the rest; or all of these at once, if the functor has a type Runs and of_run(values), for
/// which -infinity is nothing.
template <typename Functor, typename T>
struct ColumnsKernel {
  using State = typename Functor::State;
  static constexpr bool kHasRuns = requires { typename Functor::Runs; };
  static constexpr int kColumns = kPacked<T>, kAhead = kHasRuns ? 4 : 8;  // runs are longer

  const std::byte* data;
  Target<Functor> target;
  Geometry kept;
  Geometry reduced;
  ColumnParts parts;

  struct Shared {
    State of[ColumnParts::kWarps][kWarpThreads][kColumns];
  };

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t block) const {
    const ColumnParts::Share share = parts.share(group.rank(), block);
    const std::int64_t result = share.pack * kColumns;
    State states[kColumns];
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) states[c] = Functor::start();
    if (share.is_there) {
      const std::byte* const column = data + element_offsets<1>(kept, result).at[0];
      for (std::int64_t at = share.begin; at < share.end; at += kAhead) absorb(states, column, at, share.end);
    }
    if (parts.by_warps) merge_warps(group, states);
    if (!share.is_there || (parts.by_warps && group.rank() >= kWarpThreads)) return;
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      target.put(kept, result + c, share.kept_part * kept.numel + result + c, states[c]);
    }
  }

 private:
  /// Into those of the first warp.
  template <typename Group>
  LECTERN_HD void merge_warps(const Group& group, State (&states)[kColumns]) const {
    auto& shared = group.template shared<Shared>();
    const int warp = group.rank() / kWarpThreads, lane = group.rank() % kWarpThreads;
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) shared.of[warp][lane][c] = states[c];
    group.sync();
    if (warp == 0) {
      LECTERN_ROLLED
      for (int other = 1; other < ColumnParts::kWarps; ++other) {
        LECTERN_UNROLLED
        for (int c = 0; c < kColumns; ++c) states[c] = Functor::merge(states[c], shared.of[other][lane][c]);
      }
    }
    group.sync();  // the block may go on to other results
  }
  LECTERN_HD void absorb(State (&states)[kColumns], const std::byte* column, std::int64_t at,
                         std::int64_t end) const {
    RawPack read[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (at + a < end) read[a] = read_pack(column + element_offset(at + a));
    }
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      states[c] = Functor::merge(states[c], run_of(read, c, at, end));
    }
  }
  LECTERN_HD static State run_of(const RawPack (&read)[kAhead], int c, std::int64_t at, std::int64_t end) {
    if constexpr (kHasRuns) {
      float values[kAhead];
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a)
        values[a] = at + a < end ? read[a].template number<T>(c) : kLowest<float>;
      return Functor::of_run(values);
    } else {
      State run = Functor::start();
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a) {
        const State more = Functor::absorb(run, read[a].template number<T>(c), at + a);
        run = at + a < end ? more : run;
      }
      return run;
    }
  }
  LECTERN_HD std::int64_t element_offset(std::int64_t index) const {
    return reduced.rank == 1 ? index * reduced.strides[0][0] : element_offsets<1>(reduced, index).at[0];
  }
};

/// Whether packs of elements of type T are those of neighbouring results.
template <typename T>
bool has_packed_results(const ReductionGeometry& geometry, const void* data) {
  const Geometry &kept = geometry.kept, &reduced = geometry.reduced;
  if (kept.strides[0][0] != sizeof(T) || kept.sizes[0] % kPacked<T> != 0) return false;
  if (!is_aligned(data, kPackBytes)) return false;
  for (std::size_t d = 1; d < static_cast<std::size_t>(kept.rank); ++d) {
    if (kept.strides[0][d] % kPackBytes != 0) return false;
  }
  for (std::size_t d = 0; d < static_cast<std::size_t>(reduced.rank); ++d) {
    if (reduced.strides[0][d] % kPackBytes != 0) return false;
  }
  return true;
}

}  // namespace lectern::kernels::cuda
