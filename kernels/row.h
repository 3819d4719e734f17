#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/reduction_functors.h"
#include "kernels/row_batches.h"
#include "kernels/vectorize.h"

// Building blocks of algorithms with several passes over a row: fold_row and map_row, by a group of threads
// (kernels/cuda/launch.h) or by one alone, on the CPU. The index alone decides which thread takes an element,
// in batches also where the row begins; the same one in every pass.
//
// A row that is read has, where kChunk is how many neighbours a thread takes at a time,
//
//   Value, kChunk
//   kNear                  whether rereading it costs next to nothing
//   operator[](i)          one element
//   chunk(at)              kChunk elements from `at` on, indexed from 0
//   rest(at, count)        the last ones, before `count`
//   before_next(count)     the same row; reading it prefetches the row that comes next, if known
//
// One on a GPU may be taken in batches (kernels/row_batches.h). Instead of chunk() and rest() it has
//
//   kBatch                 how many chunks a thread reads before it looks at the first of them
//   kHeld                  whether each thread has its chunks, one batch, in registers
//   kShort                 whether results are rounded to 11 binary digits or fewer
//   places(group)          which chunks a thread takes, as ChunkPlaces do
//   batch(places)          reads the next ones: chunk(k) is the k-th of them
//   edge(group)            the index of the element in no chunk that a thread takes, or -1
//   at_edge(edge)          that element
//
// and, when it is written, open() and close() by the number of a chunk. The rows of an algorithm have their
// chunks at the same indices.
//
// A row that is written has
//
//   head(count)            how many of `count` come before the first chunk; 0 where several threads write
//   open(at)               where a chunk is written to, indexed from 0
//   close(at, chunk)       writes it
//   close(at, chunk, n)    writes its first n
//   set(i, value)          writes one element
//   draft()                a near buffer for intermediate values; only if the rows read are near

namespace lectern::kernels {

/// The group of a thread that works alone.
struct Alone {
  LECTERN_HD static constexpr int rank() { return 0; }
  LECTERN_HD static constexpr int size() { return 1; }
  LECTERN_HD static void sync() {}
  template <typename T, typename Merge>
  LECTERN_HD static T reduce(T value, Merge) {
    return value;
  }
};

/// The same value everywhere.
template <typename T>
struct Repeated {
  struct Chunk {
    T value;
    LECTERN_HD T operator[](std::int64_t) const { return value; }
  };
  T value;

  LECTERN_HD T operator[](std::int64_t) const { return value; }
  LECTERN_HD Chunk chunk(std::int64_t) const { return {value}; }
  LECTERN_HD Chunk rest(std::int64_t, std::int64_t) const { return {value}; }
};

/// The element itself as the term of a fold.
struct Itself {
  template <typename T>
  LECTERN_HD T operator()(T x) const {
    return x;
  }
};

/// Independent states of a thread: element i of each chunk goes into state i. A reduction of
/// kernels/reduction_functors.h.
template <typename Functor, int kChunk>
class ChunkStates {
 public:
  using State = typename Functor::State;

  LECTERN_HD ChunkStates() {
    for (State& state : states_) state = Functor::start();
  }
  /// Absorbs the first `count` elements of the chunks.
  template <typename Term, typename... Chunk>
  LECTERN_HD void absorb(std::int64_t count, const Term& term, const Chunk&... chunk) {
    for (int i = 0; i < count; ++i) states_[i] = Functor::absorb(states_[i], term(chunk[i]...), 0);
  }
  /// The same for chunks of full size. All indices are known at compile time, so that a thread on a GPU keeps
  /// them all in registers.
  template <typename Term, typename... Chunk>
  LECTERN_HD void absorb_guarded(std::int64_t count, const Term& term, const Chunk&... chunk) {
    for (int i = 0; i < kChunk; ++i) {
      if (i < count) states_[i] = Functor::absorb(states_[i], term(chunk[i]...), 0);
    }
  }
  LECTERN_HD void merge(const ChunkStates& other) {
    for (int i = 0; i < kChunk; ++i) states_[i] = Functor::merge(states_[i], other.states_[i]);
  }
  LECTERN_HD State merged() const {
    State all[kChunk];
    for (int i = 0; i < kChunk; ++i) all[i] = states_[i];
    merge_halves<kChunk / 2>(all);
    return all[0];
  }

 private:
  /// With compile-time bounds: else the compiler would loop over the halves, through memory.
  template <int kHalf>
  LECTERN_HD static void merge_halves(State* all) {
    for (int i = 0; i < kHalf; ++i) all[i] = Functor::merge(all[i], all[i + kHalf]);
    if constexpr (kHalf > 1) merge_halves<kHalf / 2>(all);
  }

  State states_[kChunk];
};

/// The states of term(first[i], more[i]…): no more than 32 values are absorbed in sequence before they are
/// merged with the rest.
template <typename Functor, int kChunk, typename Term>
class RowFold {
 public:
  using State = typename Functor::State;

  static constexpr int kTaken = kChunk;

  LECTERN_HD explicit RowFold(const Term& term) : term_(term) {}

  template <typename... Chunk>
  LECTERN_HD void absorb(const Chunk&... chunk) {
    run_.absorb(kChunk, term_, chunk...);
  }
  LECTERN_HD void end_run() {
    states_.merge(run_);
    run_ = {};
  }
  template <bool kNear, typename... Chunk>
  LECTERN_HD void absorb_rest(std::int64_t count, const Chunk&... chunk) {
    if constexpr (kNear) {
      states_.absorb(count, term_, chunk...);
    } else {
      states_.absorb_guarded(count, term_, chunk...);
    }
  }
  LECTERN_HD State merged() const { return states_.merged(); }

 private:
  Term term_;
  ChunkStates<Functor, kChunk> states_, run_;
};

/// A pair, for host and device.
template <typename First, typename Second = First>
struct Both {
  First first;
  Second second;
};

template <typename Merge, typename OtherMerge>
struct MergeBoth {
  template <typename First, typename Second>
  LECTERN_HD Both<First, Second> operator()(const Both<First, Second>& a,
                                            const Both<First, Second>& b) const {
    return {Merge{}(a.first, b.first), OtherMerge{}(a.second, b.second)};
  }
};

/// Two folds of the same row.
template <typename First, typename Second>
struct BothFolds {
  static constexpr int kTaken = First::kTaken;
  First first;
  Second second;

  template <typename... Chunk>
  LECTERN_HD void absorb(const Chunk&... chunk) {
    first.absorb(chunk...), second.absorb(chunk...);
  }
  LECTERN_HD void end_run() { first.end_run(), second.end_run(); }
  template <bool kNear, typename... Chunk>
  LECTERN_HD void absorb_rest(std::int64_t count, const Chunk&... chunk) {
    first.template absorb_rest<kNear>(count, chunk...), second.template absorb_rest<kNear>(count, chunk...);
  }
};

/// fold_chunks() of rows that are not taken in batches.
template <typename Fold, typename Group, typename First, typename... More>
LECTERN_HD void fold_runs(Fold& fold, const Group& group, std::int64_t count, const First& first,
                          const More&... more) {
  constexpr int kChunk = First::kChunk;
  constexpr int kChunksOfRun = 32;
  const std::int64_t step = static_cast<std::int64_t>(group.size()) * kChunk;
  std::int64_t at = static_cast<std::int64_t>(group.rank()) * kChunk;
  while (at + kChunk <= count) {
    for (int k = 0; k < kChunksOfRun && at + kChunk <= count; ++k, at += step) {
      fold.absorb(first.chunk(at), more.chunk(at)...);
    }
    fold.end_run();
  }
  if (at >= count) return;
  fold.template absorb_rest<First::kNear>(count - at, first.rest(at, count), more.rest(at, count)...);
}

/// Lets a fold absorb this thread's elements below `count`.
template <typename Fold, typename Group, typename First, typename... More>
LECTERN_HD void fold_chunks(Fold& fold, const Group& group, std::int64_t count, const First& first,
                            const More&... more) {
  if constexpr (TakenInBatches<First>) {
    fold_batches(fold, group, first, more...);
  } else {
    fold_runs(fold, group, count, first, more...);
  }
}

/// How many independent states a thread has of a row.
template <typename Row>
constexpr int fold_states() {
  constexpr int kBatchStates = 4;
  return TakenInBatches<Row> && Row::kChunk > kBatchStates ? kBatchStates : Row::kChunk;
}

/// The state of term(first[i], more[i]…) for i below `count`, for every thread of the group.
template <typename Functor, typename Group, typename Term, typename First, typename... More>
LECTERN_HD typename Functor::State fold_row(const Group& group, std::int64_t count, const Term& term,
                                            const First& first, const More&... more) {
  RowFold<Functor, fold_states<First>(), Term> fold(term);
  fold_chunks(fold, group, count, first, more...);
  return group.reduce(fold.merged(), MergeStates<Functor>{});
}

/// The same of two terms at once, which reads the row once.
template <typename Functor, typename OtherFunctor = Functor, typename Group, typename Term,
          typename OtherTerm, typename First, typename... More>
LECTERN_HD Both<typename Functor::State, typename OtherFunctor::State> fold_row_twice(
    const Group& group, std::int64_t count, const Term& term, const OtherTerm& other_term, const First& first,
    const More&... more) {
  using Fold = RowFold<Functor, fold_states<First>(), Term>;
  using OtherFold = RowFold<OtherFunctor, fold_states<First>(), OtherTerm>;
  using States = Both<typename Functor::State, typename OtherFunctor::State>;
  BothFolds<Fold, OtherFold> folds{Fold(term), OtherFold(other_term)};
  fold_chunks(folds, group, count, first, more...);
  return group.reduce(States{folds.first.merged(), folds.second.merged()},
                      MergeBoth<MergeStates<Functor>, MergeStates<OtherFunctor>>{});
}

template <typename Map, typename To, typename... Chunk>
LECTERN_HD void map_chunk(std::int64_t count, const Map& map, To&& to, const Chunk&... chunk) {
  LECTERN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = map(chunk[i]...);
}

/// The `count` elements from `at` on, less than a chunk.
template <typename Out, typename Map, typename First, typename... More>
LECTERN_HD void map_part(std::int64_t at, std::int64_t count, const Out& out, const Map& map,
                         const First& first, const More&... more) {
  auto to = out.open(at);
  // A chunk that is a copy has its full size, which the compiler knows.
  const std::int64_t places = First::kNear ? count : First::kChunk;
  map_chunk(places, map, to, first.rest(at, at + count), more.rest(at, at + count)...);
  out.close(at, to, count);
}

/// map_row() of rows that are not taken in batches.
template <typename Group, typename Out, typename Map, typename First, typename... More>
LECTERN_HD void map_chunks(const Group& group, std::int64_t count, const Out& out, const Map& map,
                           const First& first, const More&... more) {
  constexpr int kChunk = First::kChunk;
  const std::int64_t head = out.head(count);
  if (head > 0) map_part(0, head, out, map, first, more...);
  const std::int64_t step = static_cast<std::int64_t>(group.size()) * kChunk;
  std::int64_t at = head + static_cast<std::int64_t>(group.rank()) * kChunk;
  for (; at + kChunk <= count; at += step) {
    auto to = out.open(at);
    map_chunk(kChunk, map, to, first.chunk(at), more.chunk(at)...);
    out.close(at, to);
  }
  if (at < count) map_part(at, count - at, out, map, first, more...);
}

/// out[i] = map(first[i], more[i]…) for i below `count`. Writes are visible to the thread that made them, to
/// the others of the group after a sync(). Out may be an input.
template <typename Group, typename Out, typename Map, typename First, typename... More>
LECTERN_HD void map_row(const Group& group, std::int64_t count, const Out& out, const Map& map,
                        const First& first, const More&... more) {
  if constexpr (TakenInBatches<First>) {
    map_batches(group, out, map, first, more...);
  } else {
    map_chunks(group, count, out, map, first, more...);
  }
}

}  // namespace lectern::kernels
