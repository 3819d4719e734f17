#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "kernels/reduction_functors.h"

// How the elements of one result are combined on a GPU: by a group of threads, or by one that takes every
// `step`-th of them. Which thread takes an element depends on its index alone, not on how it is read.
//
// A Row of values has
//
//   kChunk                     how many neighbours a thread of a group takes at a time; a multiple of kLanes
//   chunk(at, end, values)     writes the kChunk values from `at` on
//   steps(at, step, end, values)   the kLanes values at, at + step, …
//
// where those from `end` on are unspecified. Optionally,
//
//   kAhead                     how many chunks a thread reads before it looks at the first of them
//   whole(at, values)          chunk() where all kChunk values are there

namespace lectern::kernels {

/// Independent states of a thread, so that no addition waits for the one before, and sums are shorter.
inline constexpr int kLanes = 4;

template <typename Functor>
class LaneStates {
 public:
  using State = typename Functor::State;

  LECTERN_HD LaneStates() {
    for (State& lane : lanes_) lane = Functor::start();
  }
  /// Absorbs one more value, at `index`.
  template <typename Value>
  LECTERN_HD void operator()(int lane, std::int64_t index, const Value& value) {
    lanes_[lane] = Functor::absorb(lanes_[lane], value, index);
  }
  LECTERN_HD State merged() const {
    static_assert(kLanes == 4);
    return Functor::merge(Functor::merge(lanes_[0], lanes_[2]), Functor::merge(lanes_[1], lanes_[3]));
  }

 private:
  State lanes_[kLanes];
};

template <typename Row>
concept ReadsAhead = requires {
  Row::kAhead;
};

/// visit(values, at, count) for a thread's chunks of the elements from `begin` to `end` - 1, of which `count`
/// are there, or more.
template <typename Group, typename Row, typename Visit>
LECTERN_HD void for_chunks(const Group& group, const Row& row, std::int64_t begin, std::int64_t end,
                           const Visit& visit) {
  const std::int64_t step = group.size() * Row::kChunk;
  std::int64_t at = begin + group.rank() * Row::kChunk;
  if constexpr (ReadsAhead<Row>) {
    for (; at + (Row::kAhead - 1) * step + Row::kChunk <= end; at += Row::kAhead * step) {
      typename Row::Value values[Row::kAhead][Row::kChunk];
      for (int a = 0; a < Row::kAhead; ++a) row.whole(at + a * step, values[a]);
      for (int a = 0; a < Row::kAhead; ++a) visit(values[a], at + a * step, std::int64_t{Row::kChunk});
    }
  }
  for (; at < end; at += step) {
    typename Row::Value values[Row::kChunk];
    row.chunk(at, end, values);
    visit(values, at, end - at);
  }
}

/// The state of the elements from `begin` to `end` - 1, for every thread of the group.
template <typename Functor, typename Group, typename Row>
LECTERN_HD typename Functor::State reduce_row(const Group& group, const Row& row, std::int64_t begin,
                                              std::int64_t end) {
  LaneStates<Functor> states;
  for_chunks(group, row, begin, end, [&](const auto& values, std::int64_t at, std::int64_t count) {
    for (int i = 0; i < Row::kChunk; ++i) {
      if (i < count) states(i % kLanes, at + i, values[i]);
    }
  });
  return group.reduce(states.merged(), MergeStates<Functor>{});
}

/// The state of the elements `begin`, `begin` + step, … before `end`.
template <typename Functor, typename Row>
LECTERN_HD typename Functor::State reduce_steps(const Row& row, std::int64_t begin, std::int64_t step,
                                                std::int64_t end) {
  LaneStates<Functor> states;
  for (std::int64_t at = begin; at < end; at += kLanes * step) {
    typename Row::Value values[kLanes];
    row.steps(at, step, end, values);
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::int64_t index = at + lane * step;
      if (index < end) states(lane, index, values[lane]);
    }
  }
  return states.merged();
}

/// The reduction that continues from states of parts.
template <typename Functor>
struct Merging : Functor {
  using State = typename Functor::State;

  LECTERN_HD static State absorb(const State& state, const State& part, std::int64_t) {
    return Functor::merge(state, part);
  }
};

}  // namespace lectern::kernels
