#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/host_device.h"
#include "kernels/geometry.h"
#include "kernels/nonzero.h"

// Processing one run of a mask (kernels/nonzero.h).

namespace lectern::kernels {

/// How many elements of the run are set.
LECTERN_HD std::int64_t count_run(std::int64_t count, const bool* mask, std::int64_t run) {
  const std::int64_t begin = run * kMaskRun;
  const std::int64_t end = begin + kMaskRun < count ? begin + kMaskRun : count;
  std::int64_t set = 0;
  for (std::int64_t i = begin; i < end; ++i) set += mask[i] ? 1 : 0;
  return set;
}

/// The sizes of a mask, at most kMaxRank. A plain struct, also a CUDA kernel argument.
class MaskShape {
 public:
  explicit MaskShape(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
    std::copy(sizes.begin(), sizes.end(), sizes_.begin());
    for (const std::int64_t size : sizes) count_ *= size;
  }

  LECTERN_HD int rank() const { return rank_; }
  LECTERN_HD std::int64_t count() const { return count_; }
  LECTERN_HD std::int64_t size(int dim) const { return sizes_[static_cast<std::size_t>(dim)]; }

 private:
  int rank_;
  std::int64_t count_ = 1;
  std::array<std::int64_t, kMaxRank> sizes_{};
};

/// The index of an element in each dimension; `Integer` holds the flat index of any.
template <typename Integer>
LECTERN_HD void fill_index(const MaskShape& shape, std::int64_t element, std::int64_t* out) {
  auto rest = static_cast<Integer>(element);
  for (int d = shape.rank() - 1; d > 0; --d) {
    const auto size = static_cast<Integer>(shape.size(d));
    out[d] = static_cast<std::int64_t>(rest % size);
    rest /= size;
  }
  if (shape.rank() > 0) out[0] = static_cast<std::int64_t>(rest);
}

/// The indices of the run's set elements, row by row from `out` on.
LECTERN_HD void fill_run(const MaskShape& shape, const bool* mask, std::int64_t run, std::int64_t* out) {
  const bool is_small = shape.count() <= std::numeric_limits<std::uint32_t>::max();  // divides faster
  const std::int64_t begin = run * kMaskRun;
  const std::int64_t end = begin + kMaskRun < shape.count() ? begin + kMaskRun : shape.count();
  for (std::int64_t i = begin; i < end; ++i) {
    if (!mask[i]) continue;
    if (is_small) {
      fill_index<std::uint32_t>(shape, i, out);
    } else {
      fill_index<std::uint64_t>(shape, i, out);
    }
    out += shape.rank();
  }
}

}  // namespace lectern::kernels
