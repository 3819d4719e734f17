#pragma once

#include "kernels/channel_norm.h"
#include "kernels/norm_row.h"

// What is done with the planes of kernels/channel_norm.h and with the sets of them, by a group
// (kernels/row.h) in the compute type C.

namespace lectern::kernels {

/// The arrays of a normalisation over channels.
template <RealComputeType C>
struct ChannelArrays {
  ChannelShape shape;
  C eps;
  const C* weight;  ///< null: 1
  const C* bias;    ///< null: 0
  C* mean;
  C* variance;

  ChannelArrays(const ChannelShape& sizes, double added, const NormParameters& parameters,
                const ChannelStatistics& statistics)
      : shape(sizes),
        eps(static_cast<C>(added)),
        weight(static_cast<const C*>(parameters.weight)),
        bias(static_cast<const C*>(parameters.bias)),
        mean(static_cast<C*>(statistics.mean)),
        variance(static_cast<C*>(statistics.variance)) {}

  LECTERN_HD C weight_of(std::int64_t plane) const {
    return weight == nullptr ? C(1) : weight[shape.channel(plane)];
  }
  LECTERN_HD C bias_of(std::int64_t plane) const {
    return bias == nullptr ? C(0) : bias[shape.channel(plane)];
  }
  LECTERN_HD RowStatistics<C> of_set(std::int64_t set) const {
    return {mean[set], 1 / math::sqrt(variance[set] + eps)};
  }
  LECTERN_HD RowStatistics<C> of_plane(std::int64_t plane) const { return of_set(shape.set(plane)); }
};

/// The statistics of a set, from the mean and variance of its planes.
template <typename C, typename Group>
LECTERN_HD void merge_moments(const Group& group, const ChannelArrays<C>& arrays, std::int64_t set,
                              const Both<C>* of_planes) {
  using Deviations = SquaredDeviations<C>;
  const ChannelShape& shape = arrays.shape;
  const auto length = static_cast<double>(shape.length);
  typename Deviations::State all = Deviations::start();
  for (std::int64_t i = group.rank(); i < shape.planes_of_set(); i += group.size()) {
    const Both<C> found = of_planes[shape.plane(set, i)];
    all = Deviations::merge(all, {length, static_cast<double>(found.first), found.second * length});
  }
  all = group.reduce(all, MergeStates<Deviations>{});
  if (group.rank() != 0) return;
  arrays.mean[set] = static_cast<C>(all.mean);
  arrays.variance[set] = static_cast<C>(all.squares / all.count);
}

/// The sums of grad · normalised x and of grad, over a plane.
template <typename Group, typename In, typename Ones>
LECTERN_HD Both<typename In::Value> gradient_sums(const Group& group, std::int64_t count,
                                                  const RowStatistics<typename In::Value>& statistics,
                                                  const In& grad, const In& x, const Ones& ones) {
  using C = typename In::Value;
  return fold_row_twice<Sum<C>>(group, count, WeightedProduct<C>{statistics}, WeightedGrad<C>{}, grad, x,
                                ones);
}

/// How the gradient of an element of a set depends on all gradients: the means of NormGradient.
template <typename C, typename Group>
LECTERN_HD Both<C> gradient_means(const Group& group, const ChannelArrays<C>& arrays, std::int64_t set,
                                  const C* sums) {
  const ChannelShape& shape = arrays.shape;
  Both<C> means{0, 0};
  for (std::int64_t i = group.rank(); i < shape.planes_of_set(); i += group.size()) {
    const std::int64_t plane = shape.plane(set, i);
    const C weight = arrays.weight_of(plane);
    means.first += weight * sums[plane];
    means.second += weight * sums[shape.planes() + plane];
  }
  means = group.reduce(means, MergeBoth<MergeStates<Sum<C>>, MergeStates<Sum<C>>>{});
  const C elements = static_cast<C>(shape.planes_of_set() * shape.length);
  return {means.first / elements, means.second / elements};
}

/// NormGradient with the means of gradient_means().
template <RealComputeType C>
LECTERN_HD NormGradient<C> norm_gradient(const RowStatistics<C>& statistics, const Both<C>& means) {
  return {statistics, means.second, means.first};
}

}  // namespace lectern::kernels
