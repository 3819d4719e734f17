#include "kernels/indexing.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "kernels/accumulator.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/row_major_runs.h"
#include "kernels/dispatch.h"
#include "kernels/geometry.h"
#include "kernels/sort.h"

namespace lectern::kernels::cpu {
namespace {

/// Calls visit(index of the first element in walk order, its offset in each array, length) for runs along the
/// innermost dimension.
template <int kArrays, typename Visit>
void for_runs(const Geometry& geometry, const Visit& visit) {
  const std::int64_t row = geometry.sizes[0];
  parallel_ranges(geometry.numel, geometry.numel, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t length = std::min(row - i % row, end - i);
      visit(i, element_offsets<kArrays>(geometry, i), length);
      i += length;
    }
  });
}

std::byte* bytes(const Array& array) {
  return static_cast<std::byte*>(array.data);
}

std::int64_t index_at(const std::byte* at) {
  return *reinterpret_cast<const std::int64_t*>(at);
}

/// A quick test, without a branch per index: whether one may be outside. A no is always right, for `low` ≤ 0;
/// so is a yes, for values below 2^62.
bool may_have_outside(const std::byte* run, std::int64_t step, std::int64_t length, std::int64_t low,
                      std::int64_t high) {
  std::uint64_t signs = 0;  // of the distances from both ends, negative where one is outside
  for (std::int64_t i = 0; i < length; ++i) {
    const auto value = static_cast<std::uint64_t>(index_at(run + i * step));
    signs |= (value - static_cast<std::uint64_t>(low)) | (static_cast<std::uint64_t>(high) - 1 - value);
  }
  return signs >> 63 != 0;
}

template <typename Word>
void move(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
          std::int64_t count) {
  if (to_step == sizeof(Word) && from_step == sizeof(Word)) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Word));
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    *reinterpret_cast<Word*>(to + i * to_step) = *reinterpret_cast<const Word*>(from + i * from_step);
  }
}

/// Gathers neighbours from one row.
template <typename Word>
void take_row(Word* out, const Word* in, const std::int64_t* index, std::int64_t count,
              const IndexedDim& indexed) {
  const IndexedDim dim = indexed;
  for (std::int64_t i = 0; i < count; ++i) out[i] = in[index_offset(dim, index[i])];
}

/// Calls visit(first element of the target, that of the values at place 0, length, first place, number of
/// places) for all values that go to the same run of elements of the target.
template <typename Visit>
void for_segments(const Geometry& geometry, const Array& target, const Array& values,
                  const Destinations& destinations, const Visit& visit) {
  const std::int64_t size = element_size(target.dtype);
  const std::int64_t row = geometry.sizes[0];
  const std::uint64_t* const offsets = destinations.offsets;
  sort_rows(1, destinations.count, destinations.bits, destinations.offsets, destinations.places);
  parallel_ranges(destinations.count, destinations.count * geometry.numel,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t i = begin; i < end; ++i) {
                      if (i > 0 && offsets[i] == offsets[i - 1]) continue;  // not the first of its segment
                      std::int64_t last = i + 1;
                      while (last < destinations.count && offsets[last] == offsets[i]) ++last;
                      std::byte* const to = bytes(target) + static_cast<std::int64_t>(offsets[i]) * size;
                      for (std::int64_t e = 0; e < geometry.numel; e += row) {
                        const auto [at] = element_offsets<2>(geometry, e);
                        visit(to + at[0], bytes(values) + at[1], row, destinations.places + i, last - i);
                      }
                    }
                  });
}

/// With fewer elements per value, handling them in order is faster than sorting.
constexpr std::int64_t kWorthSorting = 16;

/// Calls visit(first element of the target, that of the value, length) for all values in order.
template <typename Visit>
void for_values_in_order(const Geometry& geometry, const Array& target, const Array& values,
                         std::int64_t value_step, const Destinations& destinations, const Visit& visit) {
  const std::int64_t size = element_size(target.dtype);
  const std::int64_t row = geometry.sizes[0];
  for (std::int64_t i = 0; i < destinations.count; ++i) {
    std::byte* const to = bytes(target) + static_cast<std::int64_t>(destinations.offsets[i]) * size;
    const std::byte* const from = bytes(values) + i * value_step;
    if (row == geometry.numel) {
      visit(to, from, row);
      continue;
    }
    for (std::int64_t e = 0; e < geometry.numel; e += row) {
      const auto [at] = element_offsets<2>(geometry, e);
      visit(to + at[0], from + at[1], row);
    }
  }
}

/// So many sums stay in registers and L1 while their values are read.
constexpr std::int64_t kAccumulated = 64;

/// At most kAccumulated neighbouring elements.
template <typename T>
void accumulate_run(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
                    std::int64_t length, std::int64_t value_step, const std::int64_t* places,
                    std::int64_t count) {
  Accumulator<T> sums[kAccumulated];
  for (std::int64_t e = 0; e < length; ++e) {
    sums[e] = Accumulator<T>(*reinterpret_cast<const T*>(to + e * to_step));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::byte* const values = from + places[i] * value_step;
    for (std::int64_t e = 0; e < length; ++e) {
      sums[e].add(*reinterpret_cast<const T*>(values + e * from_step));
    }
  }
  for (std::int64_t e = 0; e < length; ++e) *reinterpret_cast<T*>(to + e * to_step) = sums[e].value();
}

}  // namespace

std::optional<std::int64_t> find_outside(std::string_view, std::span<const std::int64_t> sizes,
                                         const Array& index, std::int64_t low, std::int64_t high) {
  const Geometry geometry = make_geometry(sizes, index);
  std::atomic<std::int64_t> first = geometry.numel;
  for_runs<1>(geometry, [&](std::int64_t begin, const Offsets<1>& offsets, std::int64_t length) {
    const std::byte* const run = bytes(index) + offsets.at[0];
    const std::int64_t step = geometry.strides[0][0];
    if (!may_have_outside(run, step, length, low, high)) return;
    std::int64_t i = 0;
    while (i < length && index_at(run + i * step) >= low && index_at(run + i * step) < high) ++i;
    std::int64_t before = first;
    while (i < length && begin + i < before && !first.compare_exchange_weak(before, begin + i)) {
    }
  });
  if (first == geometry.numel) return std::nullopt;
  return index_at(bytes(index) + element_offsets<1>(geometry, first).at[0]);
}

void take(std::span<const std::int64_t> sizes, const Array& out, const Array& in, const Array& index,
          const IndexedDim& dim) {
  const std::int64_t size = element_size(out.dtype);
  const Geometry geometry = make_geometry(sizes, out, in, index);
  const std::int64_t out_step = geometry.strides[0][0];
  const std::int64_t in_step = geometry.strides[1][0];
  const std::int64_t index_step = geometry.strides[2][0];
  dispatch_word(size, [&]<typename Word>(std::type_identity<Word>) {
    for_runs<3>(geometry, [&](std::int64_t, const Offsets<3>& offsets, std::int64_t length) {
      std::byte* const to = bytes(out) + offsets.at[0];
      const std::byte* const from = bytes(in) + offsets.at[1];
      const std::byte* const indices = bytes(index) + offsets.at[2];
      if (index_step == 0) {
        move<Word>(to, out_step, from + index_offset(dim, index_at(indices)) * size, in_step, length);
        return;
      }
      if (out_step == size && index_step == sizeof(std::int64_t) && in_step == 0) {
        take_row(reinterpret_cast<Word*>(to), reinterpret_cast<const Word*>(from),
                 reinterpret_cast<const std::int64_t*>(indices), length, dim);
        return;
      }
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t further = index_offset(dim, index_at(indices + i * index_step)) * size;
        *reinterpret_cast<Word*>(to + i * out_step) =
            *reinterpret_cast<const Word*>(from + i * in_step + further);
      }
    });
  });
}

void set_offsets(std::span<const std::int64_t> sizes, const std::int64_t* strides, std::int64_t* offsets) {
  const RowMajor elements(sizes, strides);
  for_row_major_runs(elements, [&](std::int64_t first, std::int64_t offset, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) offsets[first + i] = offset + i * elements.step();
  });
}

void add_offsets(std::span<const std::int64_t> sizes, std::int64_t* offsets, const Array& index,
                 const IndexedDim& dim) {
  const RowMajor elements(sizes, index.strides);
  for_row_major_runs(elements, [&](std::int64_t first, std::int64_t offset, std::int64_t length) {
    const auto* const indices = static_cast<const std::int64_t*>(index.data) + offset;
    for (std::int64_t i = 0; i < length; ++i) {
      offsets[first + i] += index_offset(dim, indices[i * elements.step()]);
    }
  });
}

void put(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
         std::int64_t value_stride, const Destinations& destinations) {
  const Geometry geometry = make_geometry(sizes, target, values);
  const std::int64_t value_step = value_stride * element_size(values.dtype);
  dispatch_word(element_size(target.dtype), [&]<typename Word>(std::type_identity<Word>) {
    const auto put_one = [&](std::byte* to, const std::byte* from, std::int64_t length) {
      move<Word>(to, geometry.strides[0][0], from, geometry.strides[1][0], length);
    };
    const auto put_last = [&](std::byte* to, const std::byte* from, std::int64_t length,
                              const std::int64_t* places, std::int64_t count) {
      move<Word>(to, geometry.strides[0][0], from + places[count - 1] * value_step, geometry.strides[1][0],
                 length);
    };
    if (geometry.numel < kWorthSorting) {
      for_values_in_order(geometry, target, values, value_step, destinations, put_one);
    } else {
      for_segments(geometry, target, values, destinations, put_last);
    }
  });
}

void accumulate(std::span<const std::int64_t> sizes, const Array& target, const Array& values,
                std::int64_t value_stride, const Destinations& destinations) {
  const Geometry geometry = make_geometry(sizes, target, values);
  const std::int64_t value_step = value_stride * element_size(values.dtype);
  const std::int64_t to_step = geometry.strides[0][0];
  const std::int64_t from_step = geometry.strides[1][0];
  dispatch(target.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto add_all = [&](std::byte* to, const std::byte* from, std::int64_t length,
                             const std::int64_t* places, std::int64_t count) {
      for (std::int64_t e = 0; e < length; e += kAccumulated) {
        accumulate_run<T>(to + e * to_step, to_step, from + e * from_step, from_step,
                          std::min(kAccumulated, length - e), value_step, places, count);
      }
    };
    const auto add_one = [&](std::byte* to, const std::byte* from, std::int64_t length) {
      for (std::int64_t e = 0; e < length; ++e) {
        T& element = *reinterpret_cast<T*>(to + e * to_step);
        Accumulator<T> sum(element);
        sum.add(*reinterpret_cast<const T*>(from + e * from_step));
        element = sum.value();
      }
    };
    if (geometry.numel < kWorthSorting && std::is_arithmetic_v<T>) {
      for_values_in_order(geometry, target, values, value_step, destinations, add_one);
    } else {
      for_segments(geometry, target, values, destinations, add_all);
    }
  });
}

}  // namespace lectern::kernels::cpu
