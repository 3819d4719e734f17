#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/parallel.h"
#include "kernels/index_position.h"

namespace lectern::kernels::cpu {

/// Calls visit(index of the first element, its offset, length) for runs along the last dimension, from all
/// threads.
template <typename Visit>
void for_row_major_runs(const RowMajor& elements, const Visit& visit) {
  parallel_ranges(elements.numel(), elements.numel(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t length = std::min(elements.row() - i % elements.row(), end - i);
      visit(i, elements.offset(i), length);
      i += length;
    }
  });
}

}  // namespace lectern::kernels::cpu
