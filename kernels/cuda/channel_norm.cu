#include "kernels/channel_norm.h"
#include "kernels/channel_norm_row.h"
#include "kernels/cuda/norm_lines.h"
#include "kernels/cuda/scratch.h"

// Planes are summed by a group each, the sums of a set merged, and then the planes are read once more.

namespace lectern::kernels::cuda {
namespace {

/// One value for all elements of a plane.
template <typename Source>
using OneValue = SharedRow<typename Source::Row::Value, Source::Row::kChunk>;

template <typename Source>
struct MomentsKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 1> arrays;  ///< x
  Both<C>* moments;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t plane) const {
    const Both<C> found = row_moments(group, lines.length, arrays[0].input(group, lines, plane));
    if (group.rank() == 0) moments[plane] = found;
  }
};

template <ComputeType C>
struct MergeKernel {
  ChannelArrays<C> channels;
  const Both<C>* moments;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t set) const {
    merge_moments(group, channels, set, moments);
  }
};

/// `scales`: without mean and bias.
template <typename Source>
struct NormalizeKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 2> arrays;  ///< out, x
  ChannelArrays<C> channels;
  bool scales;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t plane) const {
    const OneValue<Source> weight{nullptr, channels.weight_of(plane)};
    const OneValue<Source> bias{nullptr, scales ? C(0) : channels.bias_of(plane)};
    RowStatistics<C> statistics = channels.of_plane(plane);
    if (scales) statistics.mean = 0;
    map_row(group, lines.length, arrays[0].row(lines, plane), Normalized<C>{statistics},
            arrays[1].input(group, lines, plane), weight, bias);
  }
};

template <typename Source>
struct GradientSumsKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 2> arrays;  ///< grad, x
  ChannelArrays<C> channels;
  C* sums;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t plane) const {
    const Both<C> found =
        gradient_sums(group, lines.length, channels.of_plane(plane), arrays[0].input(group, lines, plane),
                      arrays[1].input(group, lines, plane), OneValue<Source>{nullptr, 1});
    if (group.rank() != 0) return;
    sums[plane] = found.first;
    sums[channels.shape.planes() + plane] = found.second;
  }
};

template <ComputeType C>
struct GradientMeansKernel {
  ChannelArrays<C> channels;
  const C* sums;
  Both<C>* means;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t set) const {
    const Both<C> found = gradient_means(group, channels, set, sums);
    if (group.rank() == 0) means[set] = found;
  }
};

template <typename Source>
struct GradientKernel {
  using C = typename Source::Row::Value;

  Lines lines;
  std::array<Source, 3> arrays;  ///< out, grad, x
  ChannelArrays<C> channels;
  const Both<C>* means;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t plane) const {
    const NormGradient<C> gradient =
        norm_gradient(channels.of_plane(plane), means[channels.shape.set(plane)]);
    map_row(group, lines.length, arrays[0].row(lines, plane), gradient, arrays[1].input(group, lines, plane),
            arrays[2].input(group, lines, plane), OneValue<Source>{nullptr, channels.weight_of(plane)});
  }
};

template <std::size_t kArrays>
Lines planes_of(const ChannelShape& shape, const std::array<Array, kArrays>& arrays) {
  return make_lines(std::array{shape.planes(), shape.length}, 1, arrays);
}

template <typename C>
Scratch scratch_of(std::int64_t values) {
  return Scratch(static_cast<std::size_t>(values) * sizeof(C));
}

template <typename C>
void find_statistics(const ChannelArrays<C>& channels, Dtype common, const Array& x) {
  const ChannelShape& shape = channels.shape;
  const std::array arrays{x};
  const Lines lines = planes_of(shape, arrays);
  const Scratch moments = scratch_of<Both<C>>(shape.planes());
  auto* const found = static_cast<Both<C>*>(moments.data());
  with_lines(lines, common, arrays, 0, [&]<typename Source>(const std::array<Source, 1>& sources) {
    if constexpr (std::is_same_v<typename Source::Row::Value, C>)
      launch_lines<Source, norm_use(1)>(lines, 0, MomentsKernel<Source>{lines, sources, found});
  });
  launch_teams(shape.sets(), shape.planes_of_set(), MergeKernel<C>{channels, found});
}

template <typename C>
void normalize_planes(const ChannelArrays<C>& channels, const Array& out, const Array& x, bool scales) {
  const std::array arrays{out, x};
  const Lines lines = planes_of(channels.shape, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    if constexpr (std::is_same_v<typename Source::Row::Value, C>)
      launch_lines<Source, LineUse{.rows = 0, .by_threads = false}>(
          lines, 1, NormalizeKernel<Source>{lines, sources, channels, scales});
  });
}

template <typename C>
void sum_gradients(const ChannelArrays<C>& channels, Dtype common, const Array& grad, const Array& x,
                   C* sums) {
  const std::array arrays{grad, x};
  const Lines lines = planes_of(channels.shape, arrays);
  with_lines(lines, common, arrays, 0, [&]<typename Source>(const std::array<Source, 2>& sources) {
    if constexpr (std::is_same_v<typename Source::Row::Value, C>)
      launch_lines<Source, LineUse{.rows = 0, .by_threads = false}>(
          lines, 1, GradientSumsKernel<Source>{lines, sources, channels, sums});
  });
}

template <typename C>
void spread_gradients(const ChannelArrays<C>& channels, const Array& out, const Array& grad, const Array& x,
                      const C* sums) {
  const ChannelShape& shape = channels.shape;
  const Scratch scratch = scratch_of<Both<C>>(shape.sets());
  auto* const means = static_cast<Both<C>*>(scratch.data());
  launch_teams(shape.sets(), shape.planes_of_set(), GradientMeansKernel<C>{channels, sums, means});
  const std::array arrays{out, grad, x};
  const Lines lines = planes_of(shape, arrays);
  with_lines(lines, out.dtype, arrays, 0, [&]<typename Source>(const std::array<Source, 3>& sources) {
    if constexpr (std::is_same_v<typename Source::Row::Value, C>)
      launch_lines<Source, LineUse{.rows = 0, .by_threads = false}>(
          lines, 1, GradientKernel<Source>{lines, sources, channels, means});
  });
}

}  // namespace

void channel_norm(const ChannelShape& shape, double eps, const Array& out, const Array& x,
                  const NormParameters& parameters, const ChannelStatistics& statistics) {
  dispatch_real_compute(out.dtype, [&]<typename C>(std::type_identity<C>) {
    const ChannelArrays<C> channels(shape, eps, parameters, statistics);
    if (shape.kind != ChannelNorm::given) find_statistics(channels, out.dtype, x);
    normalize_planes(channels, out, x, false);
  });
}

void channel_norm_backward(const ChannelShape& shape, double eps, const Array& out, const Array& grad,
                           const Array& x, const void* weight, const ChannelStatistics& statistics,
                           void* sums) {
  dispatch_real_compute(out.dtype, [&]<typename C>(std::type_identity<C>) {
    const ChannelArrays<C> channels(shape, eps, {const_cast<void*>(weight), nullptr}, statistics);
    auto* const found = static_cast<C*>(sums);
    if (found != nullptr) sum_gradients(channels, out.dtype, grad, x, found);
    if (shape.kind == ChannelNorm::given) return normalize_planes(channels, out, grad, true);
    spread_gradients(channels, out, grad, x, found);
  });
}

}  // namespace lectern::kernels::cuda
