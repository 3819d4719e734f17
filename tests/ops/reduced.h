#pragma once

#include <functional>
#include <vector>

#include "ops/tensors.h"

namespace lectern::test {

inline const Sizes kReducedShapes[] = {{},       {0},         {1},     {7},        {130},        {3, 0, 2},
                                       {2, 3},   {5, 64},     {64, 5}, {3, 4, 5},  {2, 1, 3, 4}, {17, 33},
                                       {300, 3}, {20, 2, 30}, {1, 1},  {150, 1, 2}};

/// All sets of dimensions, some of them counted from the end; {} last.
inline std::vector<Sizes> dim_sets(std::size_t rank) {
  std::vector<Sizes> sets;
  for (unsigned bits = 1; bits < 1U << rank; ++bits) {
    Sizes dims;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto dim = static_cast<std::int64_t>(d);
      if ((bits >> d & 1U) != 0) dims.push_back(bits % 3 == 0 ? dim - static_cast<std::int64_t>(rank) : dim);
    }
    sets.push_back(dims);
  }
  sets.push_back({});
  return sets;
}

/// The shape of the result.
inline Sizes reduced_sizes(const Sizes& sizes, const Sizes& dims, bool keepdim) {
  Sizes result;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const auto dim = static_cast<std::int64_t>(d);
    const auto named = [&](std::int64_t x) {
      return x == dim || x + static_cast<std::int64_t>(sizes.size()) == dim;
    };
    const bool reduced = dims.empty() || std::any_of(dims.begin(), dims.end(), named);
    if (!reduced) result.push_back(sizes[d]);
    if (reduced && keepdim) result.push_back(1);
  }
  return result;
}

/// An element of a reduction's result that keeps dimensions: where it stands, and the elements that make it.
struct Group {
  Sizes at;
  std::vector<double> values;
};

/// Those of `x` reduced over `dims`, in row-major order.
inline std::vector<Group> groups(const Tensor& x, const Sizes& dims) {
  const Sizes kept = reduced_sizes(x.sizes(), dims, true);
  std::vector<Group> result;
  for_each_index(kept, [&](const Sizes& index) { result.push_back({index, {}}); });
  const Tensor here = on_host(x);
  for_each_index(x.sizes(), [&](const Sizes& index) {
    std::int64_t place = 0;
    for (std::size_t d = 0; d < kept.size(); ++d) place = place * kept[d] + (kept[d] == 1 ? 0 : index[d]);
    result[static_cast<std::size_t>(place)].values.push_back(number(here, index));
  });
  return result;
}

}  // namespace lectern::test
