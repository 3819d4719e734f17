#pragma once

#include <functional>
#include <map>
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

/// For each element of a reduction's result that keeps dimensions the elements of `x` that make it.
inline std::map<std::vector<std::int64_t>, std::vector<double>> groups(const Tensor& x, const Sizes& dims) {
  const Sizes kept = reduced_sizes(x.sizes(), dims, true);
  std::map<std::vector<std::int64_t>, std::vector<double>> result;
  const auto place = [&](const Sizes& index) {
    std::vector<std::int64_t> at(index.begin(), index.end());
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (kept[d] == 1) at[d] = 0;
    }
    return at;
  };
  for_each_index(kept, [&](const Sizes& index) { result[place(index)] = {}; });
  const Tensor here = x.cpu();
  for_each_index(x.sizes(), [&](const Sizes& index) { result[place(index)].push_back(number(here, index)); });
  return result;
}

}  // namespace lectern::test
