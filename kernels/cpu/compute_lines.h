#pragma once

#include "kernels/cpu/line_walk.h"
#include "kernels/cpu/parallel.h"
#include "kernels/dispatch.h"

namespace lectern::kernels::cpu {

/// Calls visit(line, LineTarget<T> of the first array, const T* to the values of each other) for all lines,
/// from all threads.
template <typename T, std::size_t kArrays, typename Visit>
void for_lines(const Lines& lines, const std::array<Array, kArrays>& arrays, Streaming streaming,
               const Visit& visit) {
  parallel_ranges(
      lines.kept.numel, lines.kept.numel * lines.length, [&](std::int64_t begin, std::int64_t end) {
        LineWalk<kArrays> walk(lines, dtype_of<T>, arrays, streaming);
        walk.visit(begin, end, [&](std::int64_t line, const auto& values) {
          [&]<std::size_t... k>(std::index_sequence<k...>) {
            visit(line, walk.template target<T>(values[0]), reinterpret_cast<const T*>(values[k + 1])...);
          }
          (std::make_index_sequence<kArrays - 1>{});
        });
      });
}

}  // namespace lectern::kernels::cpu
