#include "kernels/triangle.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/cpu/parallel.h"

namespace lectern::kernels::cpu {

void keep_triangle(Triangle part, std::int64_t diagonal, std::int64_t matrices, std::int64_t rows,
                   std::int64_t columns, std::int64_t element_size, void* out, const void* in) {
  // Beyond these bounds nothing changes; so row + diagonal does not overflow.
  diagonal = std::clamp(diagonal, -rows - 1, columns + 1);
  parallel_ranges(matrices * rows, matrices * rows * columns, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t on_diagonal = i % rows + diagonal;
      const std::int64_t split =
          std::clamp<std::int64_t>(part == Triangle::upper ? on_diagonal : on_diagonal + 1, 0, columns);
      const std::int64_t first = part == Triangle::upper ? split : 0;
      const std::int64_t last = part == Triangle::upper ? columns : split;
      auto* const to = static_cast<std::byte*>(out) + i * columns * element_size;
      const auto* const from = static_cast<const std::byte*>(in) + i * columns * element_size;
      const auto bytes = [&](std::int64_t elements) {
        return static_cast<std::size_t>(elements * element_size);
      };
      std::memset(to, 0, bytes(first));
      if (to != from) std::memcpy(to + bytes(first), from + bytes(first), bytes(last - first));
      std::memset(to + bytes(last), 0, bytes(columns - last));
    }
  });
}

}  // namespace lectern::kernels::cpu
