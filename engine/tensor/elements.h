#pragma once

#include <cstdint>
#include <vector>

#include "kernels/moments.h"
#include "tensor/tensor.h"

namespace lectern {

/// For each dimension the positions that are looked at.
using Selection = std::vector<std::vector<std::int64_t>>;

/// All positions.
Selection select_all(const Sizes& sizes);
/// All positions of the dimensions of at most 2·edge, of longer ones the first and the last `edge`.
Selection select_edges(const Sizes& sizes, std::int64_t edge);
/// How many elements are selected.
std::int64_t numel(const Selection& selection);

/// Elements of a tensor in row-major order, as people and files want them: exactly, whatever the dtype.
struct Elements {
  std::vector<double> reals;           ///< of a floating-point dtype
  std::vector<std::int64_t> integers;  ///< of any other
};

/// Reads through the strides, without a copy of the tensor where it is on the CPU. Like everything here it
/// leaves no trace in counters and memory statistics: looking costs a program nothing.
Elements read_elements(const Tensor& tensor, const Selection& selection);

/// What describes the numbers of a tensor at a glance; all but the counts is about the finite ones.
/// Deterministic, O(numel), on the CPU one pass over memory.
kernels::Moments statistics(const Tensor& tensor);

}  // namespace lectern
