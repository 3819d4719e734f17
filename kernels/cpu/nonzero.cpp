#include "kernels/nonzero.h"

#include <algorithm>
#include <cstddef>

#include "kernels/cpu/parallel.h"
#include "kernels/mask_run.h"

namespace lectern::kernels::cpu {

std::int64_t count_true(std::int64_t count, const bool* mask, std::int64_t* starts) {
  const std::int64_t runs = mask_runs(count);
  parallel_ranges(runs, count, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t run = begin; run < end; ++run) starts[run] = count_run(count, mask, run);
  });
  std::int64_t set = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t more = starts[run];
    starts[run] = set;
    set += more;
  }
  return set;
}

void fill_nonzero(std::span<const std::int64_t> sizes, const bool* mask, const std::int64_t* starts,
                  std::int64_t* out) {
  const MaskShape shape(sizes);
  parallel_ranges(mask_runs(shape.count()), shape.count(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t run = begin; run < end; ++run) {
      fill_run(shape, mask, run, out + starts[run] * shape.rank());
    }
  });
}

}  // namespace lectern::kernels::cpu
