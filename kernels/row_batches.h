#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "kernels/vectorize.h"

// How a group of threads on a GPU takes a row in batches (interface: kernels/row.h). A thread reads all
// chunks of a batch before it looks at the first, so that they are on their way together. The elements that
// belong to no chunk, before the first and after the last, are taken one by a thread.

namespace lectern::kernels {

/// The chunks of a row that a thread takes.
struct ChunkPlaces {
  int first;  ///< the number of the next one
  int step;   ///< to the one after it
  int count;  ///< of all threads
  int head;   ///< elements before chunk 0

  LECTERN_HD int number(int k) const { return first + k * step; }
  LECTERN_HD bool has(int k) const { return number(k) < count; }
};

template <typename Row>
concept TakenInBatches = requires {
  Row::kBatch;
};

template <typename Row>
inline constexpr bool kIsHeld = false;
template <TakenInBatches Row>
inline constexpr bool kIsHeld<Row> = Row::kHeld;

template <typename Row>
inline constexpr bool kIsShort = false;
template <TakenInBatches Row>
inline constexpr bool kIsShort<Row> = Row::kShort;

template <int kBatch, typename Places, typename Visit, typename... Batches>
LECTERN_HD void visit_batch(const Places& places, const Visit& visit, const Batches&... batches) {
  LECTERN_UNROLLED
  for (int k = 0; k < kBatch; ++k) {
    if (places.has(k)) visit(places.number(k), batches.chunk(k)...);
  }
}

/// visit(number, chunks of all rows) for each chunk of this thread, end_batch() after each batch.
template <typename Group, typename Visit, typename End, typename First, typename... More>
LECTERN_HD void visit_batches(const Group& group, const Visit& visit, const End& end_batch,
                              const First& first, const More&... more) {
  constexpr int kBatch = First::kBatch;
  auto places = first.places(group);
  if constexpr (First::kHeld) {
    visit_batch<kBatch>(places, visit, first.batch(places), more.batch(places)...);
    end_batch();
  } else {
    for (; places.first < places.count; places.first += kBatch * places.step) {
      visit_batch<kBatch>(places, visit, first.batch(places), more.batch(places)...);
      end_batch();
    }
  }
}

/// One element as a chunk.
template <typename T>
struct LoneElement {
  T value;
  LECTERN_HD T operator[](std::int64_t) const { return value; }
};

/// A row's element at this thread's edge, if it has one.
template <typename Row>
LECTERN_HD auto read_edge(const Row& row, int edge) {
  using Value = decltype(row.at_edge(edge));
  return LoneElement<Value>{edge >= 0 ? row.at_edge(edge) : Value(0)};
}

/// Neighbours in a chunk.
template <typename Chunk>
struct ChunkPart {
  const Chunk& chunk;
  int from;
  LECTERN_HD auto operator[](std::int64_t i) const { return chunk[from + i]; }
};

/// Lets a fold absorb what this thread takes.
template <typename Fold, typename Group, typename First, typename... More>
LECTERN_HD void fold_batches(Fold& fold, const Group& group, const First& first, const More&... more) {
  const auto absorb = [&](int, const auto&... chunk) {
    LECTERN_UNROLLED
    for (int from = 0; from < First::kChunk; from += Fold::kTaken) {
      fold.absorb(ChunkPart<std::remove_cvref_t<decltype(chunk)>>{chunk, from}...);
    }
  };
  const int edge = first.edge(group);
  // Read first: at the end it would be waited for once more.
  const auto fold_with_edge = [&](const auto&... element) {
    visit_batches(
        group, absorb, [&] { fold.end_run(); }, first, more...);
    if (edge >= 0) fold.template absorb_rest<false>(1, element...);
  };
  fold_with_edge(read_edge(first, edge), read_edge(more, edge)...);
}

/// out[i] = map(first[i], more[i]…) for what this thread takes.
template <typename Group, typename Out, typename Map, typename First, typename... More>
LECTERN_HD void map_batches(const Group& group, const Out& out, const Map& map, const First& first,
                            const More&... more) {
  const auto map_one = [&](int number, const auto&... chunk) {
    auto to = out.open(number);
    LECTERN_UNROLLED
    for (int i = 0; i < First::kChunk; ++i) to[i] = map(chunk[i]...);
    out.close(number, to);
  };
  const int edge = first.edge(group);
  const auto map_with_edge = [&](const auto&... element) {
    visit_batches(
        group, map_one, [] {}, first, more...);
    if (edge >= 0) out.set(edge, map(element[0]...));
  };
  map_with_edge(read_edge(first, edge), read_edge(more, edge)...);
}

}  // namespace lectern::kernels
