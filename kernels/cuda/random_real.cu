#include <array>

#include "device/copy.h"
#include "kernels/cuda/random_fill.h"
#include "kernels/cuda/scratch.h"
#include "kernels/random.h"
#include "kernels/random_math.h"
#include "kernels/reductions.h"

namespace lectern::kernels::cuda {
namespace {

template <typename T>
PhiloxUniform<T> uniform(double from, double to) {
  const auto low = static_cast<T>(from), high = static_cast<T>(to);
  return {low, high, static_cast<T>(Compute<T>(high) - Compute<T>(low))};
}

/// Every step is rounded to T; scale, mean and bounds are not.
template <typename T>
struct PhiloxTruncatedNormal {
  using Real = Compute<T>;
  static constexpr int kValues = PhiloxUniform<T>::kValues;
  PhiloxUniform<T> uniform;
  Real scale, mean, low, high;

  LECTERN_HD PhiloxValues<T, kValues> operator()(const PhiloxWords& words) const {
    PhiloxValues<T, kValues> result = uniform(words);
    for (T& value : result.value) {
      value = static_cast<T>(erfinv(Real(value)));
      value = static_cast<T>(Real(value) * scale);
      value = static_cast<T>(Real(value) + mean);
      const Real above = Real(value) < low ? low : Real(value);
      value = static_cast<T>(above > high ? high : above);
    }
    return result;
  }
};

/// Each thread draws four words for four neighbours.
struct BernoulliKernel {
  std::byte* out;
  Dtype dtype;
  const std::byte* p;
  Dtype p_dtype;
  PhiloxState state;
  Geometry geometry;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t four = thread; four * 4 < geometry.numel; four += threads) {
      const PhiloxWords words = philox_draw(state, static_cast<std::uint64_t>(four), 0);
      for (int i = 0; i < 4 && four * 4 + i < geometry.numel; ++i) {
        const auto offsets = element_offsets<2>(geometry, four * 4 + i);
        const std::byte* const at = p + offsets.at[1];
        const double chance = dtype == float64 ? load<double>(at, p_dtype) : load<float>(at, p_dtype);
        store(out + offsets.at[0], dtype, std::int64_t{philox_unit(words.word[i]) <= chance});
      }
    }
  }
};

/// The order in which PyTorch visits the elements of two arrays here: a dimension comes after another one if
/// its strides are smaller in one array and no larger in the other.
Geometry pairwise_geometry(const RandomArray& a, const RandomArray& b) {
  const std::size_t rank = a.sizes.size();
  std::array<std::size_t, kMaxRank> order;
  for (std::size_t d = 0; d < rank; ++d) order[d] = d;
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = i + 1; j < rank; ++j) {
      const std::size_t x = order[i], y = order[j];
      if (a.sizes[x] == 1) break;
      if (a.sizes[y] == 1) continue;
      const bool increases = a.strides[x] < a.strides[y] || b.strides[x] < b.strides[y];
      const bool decreases = a.strides[x] > a.strides[y] || b.strides[x] > b.strides[y];
      if (increases && !decreases) std::swap(order[i], order[j]);
    }
  }
  const std::int64_t element_sizes[] = {element_size(a.dtype), element_size(b.dtype)};
  Geometry geometry = contiguous_geometry(1, element_sizes);
  geometry.sizes[0] = 1;
  geometry.rank = std::max(1, static_cast<int>(rank));
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t from = order[rank - 1 - d];
    geometry.numel *= a.sizes[from];
    geometry.sizes[d] = a.sizes[from];
    geometry.strides[0][d] = a.strides[from] * element_sizes[0];
    geometry.strides[1][d] = b.strides[from] * element_sizes[1];
  }
  return geometry;
}

/// Waits for the work on the current stream.
bool are_probabilities(const RandomArray& p) {
  double bounds[2];
  const Scratch scratch(sizeof(bounds));
  auto* const found = static_cast<double*>(scratch.data());
  constexpr std::array<std::int64_t, kMaxRank> kNoStrides{};
  std::array<bool, kMaxRank> all;
  all.fill(true);
  const Array in{p.data, p.dtype, p.strides.data()};
  const std::span over(all.data(), p.sizes.size());
  reduce(Reduction::min, float64, p.sizes, over, {found, float64, kNoStrides.data()}, in, nullptr);
  reduce(Reduction::max, float64, p.sizes, over, {found + 1, float64, kNoStrides.data()}, in, nullptr);
  lectern::cuda::copy(bounds, found, sizeof(bounds));
  return bounds[0] >= 0 && bounds[1] <= 1;  // false if one is NaN
}

}  // namespace

void fill_uniform(const RandomArray& array, double from, double to, GeneratorState& state) {
  dispatch_real(array.dtype, [&](auto tag) {
    fill(array, uniform<typename decltype(tag)::type>(from, to), state.philox);
  });
}

void fill_normal(const RandomArray& array, double mean, double std, GeneratorState& state) {
  dispatch_real_compute(array.dtype, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    cuda::fill(array, PhiloxNormal<Real>{static_cast<Real>(mean), static_cast<Real>(std)}, state.philox);
  });
}

void fill_exponential(const RandomArray& array, double lambda, GeneratorState& state) {
  dispatch_real_compute(array.dtype, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    cuda::fill(array, PhiloxExponential<Real>{static_cast<Real>(lambda)}, state.philox);
  });
}

void fill_truncated_normal(const RandomArray& array, const TruncatedNormal& shape, GeneratorState& state) {
  dispatch_real(array.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Real = Compute<T>;
    cuda::fill(array,
               PhiloxTruncatedNormal<T>{uniform<T>(shape.from, shape.to), static_cast<Real>(shape.scale),
                                        static_cast<Real>(shape.mean), static_cast<Real>(shape.low),
                                        static_cast<Real>(shape.high)},
               state.philox);
  });
}

void fill_bernoulli(const RandomArray& array, double p, GeneratorState& state) {
  dispatch_real_compute(array.dtype, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    cuda::fill(array, PhiloxBernoulli<Real>{static_cast<Real>(p)}, state.philox);
  });
}

bool fill_bernoulli_each(const RandomArray& array, const RandomArray& p, GeneratorState& state) {
  constexpr std::uint64_t kWords = 12;  // it asks for 10, and gets a multiple of 4
  const Geometry geometry = pairwise_geometry(array, p);
  if (geometry.numel == 0) return true;
  if (!are_probabilities(p)) return false;
  launch_for((geometry.numel + 3) / 4,
             BernoulliKernel{static_cast<std::byte*>(array.data), array.dtype,
                             static_cast<const std::byte*>(p.data), p.dtype, state.philox, geometry});
  state.philox.offset += kWords;
  return true;
}

}  // namespace lectern::kernels::cuda
