#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/compute_type.h"
#include "kernels/cross_entropy.h"
#include "kernels/lines.h"
#include "kernels/reductions.h"

namespace lectern::kernels {

/// The lines of kernels/cross_entropy.h as kernels take them.
template <RealComputeType T>
struct ClassTargets {
  const std::int64_t* targets;
  const T* weight;
  std::int64_t ignored;
  std::int64_t classes;

  explicit ClassTargets(const ClassLines& lines)
      : targets(lines.targets),
        weight(static_cast<const T*>(lines.weight)),
        ignored(lines.ignored),
        classes(lines.sizes[lines.dim]) {}

  LECTERN_HD bool is_ignored(std::int64_t line) const { return targets[line] == ignored; }
  LECTERN_HD bool is_class(std::int64_t line) const { return targets[line] >= 0 && targets[line] < classes; }
  LECTERN_HD T target_weight(std::int64_t line) const {
    return weight == nullptr ? T(1) : weight[targets[line]];
  }
};

/// Contiguous terms to their sum, by the reduce() of a device.
template <RealComputeType T, typename Reduce>
void sum_terms(const Reduce& by, T* total, const void* terms, std::int64_t count) {
  const std::int64_t stride = 1, none = 0;
  const bool over = true;
  const std::span<const std::int64_t> sizes(&count, 1);
  by(Reduction::sum, dtype_of<T>, sizes, std::span(&over, 1), Array{total, dtype_of<T>, &none},
     Array{const_cast<void*>(terms), dtype_of<T>, &stride}, nullptr);
}

/// NaN where the targets weigh nothing, as in PyTorch: smoothed losses may have a sum then.
template <RealComputeType T>
LECTERN_HD T mean_of_losses(T sum, T weights) {
  return weights == 0 ? std::numeric_limits<T>::quiet_NaN() : sum / weights;
}

/// ClassScales as kernels take them.
template <RealComputeType T>
struct LineScales {
  const T* factors;
  bool each;
  const T* total_weight;

  explicit LineScales(const ClassScales& scales)
      : factors(static_cast<const T*>(scales.factors)),
        each(scales.each),
        total_weight(static_cast<const T*>(scales.total_weight)) {}

  LECTERN_HD T operator()(std::int64_t line) const {
    const T factor = factors[each ? line : 0];
    return total_weight == nullptr ? factor : factor / *total_weight;
  }
};

/// The lines of `first`, which has one value per line in row-major order, and of the logits.
inline Lines logit_lines(const ClassLines& lines, void* first, Dtype dtype) {
  std::array<std::int64_t, kMaxRank> strides;
  std::int64_t next = 1;
  for (std::size_t d = lines.sizes.size(); d-- > 0;) {
    strides[d] = next;
    if (d != lines.dim) next *= lines.sizes[d];
  }
  strides[lines.dim] = 1;
  return make_lines(lines.sizes, lines.dim, std::array{Array{first, dtype, strides.data()}, lines.logits});
}

}  // namespace lectern::kernels
