#pragma once

#include <cstdint>
#include <vector>

#include "trace/model.h"

namespace lectern {

/// Whether the parts of a tensor fit together, as value.h says, and arithmetic on its sizes cannot overflow.
bool is_consistent(const form::Tensor& tensor);

/// How many elements a consistent tensor has; 2⁵³ of one that cannot be.
std::uint64_t element_count(const form::Tensor& tensor);

/// Whether it has no elements.
bool is_empty(const form::Tensor& tensor);

/// For each dimension the positions whose elements are in `data`, ascending: all, but of a summary.
std::vector<std::vector<std::int64_t>> data_positions(const form::Tensor& tensor);

}  // namespace lectern
