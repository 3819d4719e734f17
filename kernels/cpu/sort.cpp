#include "kernels/sort.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/row_major_runs.h"
#include "kernels/index_position.h"
#include "kernels/order_key.h"

namespace lectern::kernels::cpu {
namespace {

/// Up to so many keys are sorted by insertion.
constexpr std::int64_t kFewKeys = 48;

struct Keys {
  std::uint64_t* key;
  std::int64_t* place;
};

void insertion_sort(const Keys& keys, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i) {
    const std::uint64_t key = keys.key[i];
    const std::int64_t place = keys.place[i];
    std::int64_t at = i;
    for (; at > 0 && keys.key[at - 1] > key; --at) {
      keys.key[at] = keys.key[at - 1];
      keys.place[at] = keys.place[at - 1];
    }
    keys.key[at] = key;
    keys.place[at] = place;
  }
}

using Histogram = std::array<std::int64_t, 256>;
constexpr std::size_t kDigits = sizeof(std::uint64_t);

std::size_t radix_digit(std::uint64_t key, std::size_t digit) {
  return key >> (8 * digit) & 0xFF;
}

/// LSD radix sort by bytes, stable; skips bytes that all keys have in common.
void radix_sort(Keys keys, Keys scratch, std::int64_t count) {
  std::array<Histogram, kDigits> histograms{};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t digit = 0; digit < kDigits; ++digit)
      ++histograms[digit][radix_digit(keys.key[i], digit)];
  }
  const std::uint64_t* const result = keys.key;
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    Histogram& next = histograms[digit];
    if (next[radix_digit(keys.key[0], digit)] == count) continue;
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::int64_t{0});
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = next[radix_digit(keys.key[i], digit)]++;
      scratch.key[at] = keys.key[i];
      scratch.place[at] = keys.place[i];
    }
    std::swap(keys, scratch);
  }
  if (keys.key == result) return;
  std::copy_n(keys.key, count, scratch.key);
  std::copy_n(keys.place, count, scratch.place);
}

/// Selecting k of at least so many times k keys pays off.
constexpr std::int64_t kSelectionRatio = 16;

/// Keys with their places.
using Heap = std::vector<std::pair<std::uint64_t, std::int64_t>>;

/// Brings as many keys as the heap holds to the front, in order. It holds the first so far, the last of them
/// on top.
void select_smallest(const Keys& keys, std::int64_t count, Heap& heap) {
  const auto k = static_cast<std::int64_t>(heap.size());
  for (std::int64_t i = 0; i < k; ++i) heap[static_cast<std::size_t>(i)] = {keys.key[i], i};
  std::make_heap(heap.begin(), heap.end());
  for (std::int64_t i = k; i < count; ++i) {
    if (keys.key[i] >= heap.front().first) continue;
    std::pop_heap(heap.begin(), heap.end());
    heap.back() = {keys.key[i], i};
    std::push_heap(heap.begin(), heap.end());
  }
  std::sort_heap(heap.begin(), heap.end());
  for (std::int64_t i = 0; i < k; ++i) {
    std::tie(keys.key[i], keys.place[i]) = heap[static_cast<std::size_t>(i)];
  }
}

}  // namespace

void order_keys(std::span<const std::int64_t> sizes, const Array& in, bool descending, std::uint64_t* keys) {
  const RowMajor elements(sizes, in.strides);
  dispatch(in.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_row_major_runs(elements, [&](std::int64_t first, std::int64_t offset, std::int64_t length) {
      const T* const data = static_cast<const T*>(in.data) + offset;
      for (std::int64_t i = 0; i < length; ++i) {
        const std::uint64_t key = order_key(data[i * elements.step()]);
        keys[first + i] = descending ? ~key : key;
      }
    });
  });
}

void sort_rows(std::int64_t rows, std::int64_t columns, int, std::uint64_t* keys, std::int64_t* places) {
  const std::int64_t count = rows * columns;
  const std::size_t room = columns > kFewKeys ? static_cast<std::size_t>(count) : 0;
  const auto key_scratch = std::make_unique_for_overwrite<std::uint64_t[]>(room);
  const auto place_scratch = std::make_unique_for_overwrite<std::int64_t[]>(room);
  parallel_ranges(rows, count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t first = row * columns;
      const Keys here{keys + first, places + first};
      std::iota(here.place, here.place + columns, std::int64_t{0});
      if (std::is_sorted(here.key, here.key + columns)) continue;
      if (columns <= kFewKeys) {
        insertion_sort(here, columns);
      } else {
        radix_sort(here, {key_scratch.get() + first, place_scratch.get() + first}, columns);
      }
    }
  });
}

void sort_first(std::int64_t rows, std::int64_t columns, std::int64_t k, int bits, std::uint64_t* keys,
                std::int64_t* places) {
  if (k > columns / kSelectionRatio) return sort_rows(rows, columns, bits, keys, places);
  parallel_ranges(rows, rows * columns, [&](std::int64_t begin, std::int64_t end) {
    Heap heap(static_cast<std::size_t>(k));
    for (std::int64_t row = begin; row < end && k > 0; ++row) {
      select_smallest({keys + row * columns, places + row * columns}, columns, heap);
    }
  });
}

}  // namespace lectern::kernels::cpu
