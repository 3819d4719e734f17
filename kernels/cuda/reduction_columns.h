#pragma once

#include <cstdint>

#include "kernels/cuda/pack_access.h"
#include "kernels/cuda/reduction_target.h"
#include "kernels/reduction_geometry.h"

// Reductions of which neighbouring results are neighbours in memory, such as the sums of a matrix's columns:
// a thread takes a pack of results.

namespace lectern::kernels::cuda {

/// How many parts the elements of a result are divided into, one for each thread: enough to occupy a GPU.
inline std::int64_t column_parts(std::int64_t packs, std::int64_t elements) {
  constexpr std::int64_t kThreads = std::int64_t{1} << 17, kLeastElements = 32;
  const std::int64_t most = elements < kLeastElements ? 1 : elements / kLeastElements;
  const std::int64_t wanted = packs > kThreads ? 1 : kThreads / (packs > 0 ? packs : 1);
  return wanted < most ? wanted : most;
}

/// One part of a pack of results. No more than kAhead elements are absorbed in sequence before they are
/// merged with the rest.
template <typename Functor, typename T>
struct ColumnsKernel {
  using State = typename Functor::State;
  static constexpr int kColumns = kPacked<T>, kAhead = 8;

  const std::byte* data;
  Target<Functor> target;
  Geometry kept;
  Geometry reduced;
  std::int64_t parts;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t block) const {
    const std::int64_t packs = kept.numel / kColumns;
    const std::int64_t i = block * group.size() + group.rank();
    if (i >= parts * packs) return;
    const std::int64_t part = i / packs, result = i % packs * kColumns;
    const std::byte* const column = data + element_offsets<1>(kept, result).at[0];
    State states[kColumns];
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) states[c] = Functor::start();
    const std::int64_t end = (part + 1) * reduced.numel / parts;
    for (std::int64_t at = part * reduced.numel / parts; at < end; at += kAhead)
      absorb(states, column, at, end);
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      target.put(kept, result + c, part * kept.numel + result + c, states[c]);
    }
  }

 private:
  LECTERN_HD void absorb(State (&states)[kColumns], const std::byte* column, std::int64_t at,
                         std::int64_t end) const {
    RawPack read[kAhead] = {};
    LECTERN_UNROLLED
    for (int a = 0; a < kAhead; ++a) {
      if (at + a < end) read[a] = read_pack(column + element_offset(at + a));
    }
    LECTERN_UNROLLED
    for (int c = 0; c < kColumns; ++c) {
      State run = Functor::start();
      LECTERN_UNROLLED
      for (int a = 0; a < kAhead; ++a) {
        const State more = Functor::absorb(run, read[a].template number<T>(c), at + a);
        run = at + a < end ? more : run;
      }
      states[c] = Functor::merge(states[c], run);
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
