#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/random_fill.h"

namespace lectern::kernels::cpu {
namespace {

template <typename T>
WeightProblem check(const T* weights, std::int64_t categories) {
  double sum = 0;
  for (std::int64_t i = 0; i < categories; ++i) {
    const double weight{weights[i]};
    if (!std::isfinite(weight)) return WeightProblem::not_finite;
    if (weight < 0) return WeightProblem::negative;
    sum += weight;
  }
  return sum > 0 ? WeightProblem::none : WeightProblem::no_sum;
}

/// Calls visit(row index, its weights) until there is a problem.
template <typename T, typename Visit>
WeightProblem for_rows(const RandomArray& weights, std::int64_t rows, std::int64_t categories, Visit visit) {
  const T* row_weights = static_cast<const T*>(weights.data);
  for (std::int64_t row = 0; row < rows; ++row, row_weights += categories) {
    const WeightProblem problem = check(row_weights, categories);
    if (problem != WeightProblem::none) return problem;
    visit(row, row_weights);
  }
  return WeightProblem::none;
}

}  // namespace

WeightProblem sample_categories(const RandomArray& result, const RandomArray& weights, std::int64_t rows,
                                std::int64_t categories, std::int64_t samples, GeneratorState& state) {
  auto* const chosen = static_cast<std::int64_t*>(result.data);
  return dispatch_real(weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<Compute<T>> cumulative(static_cast<std::size_t>(categories));
    return for_rows<T>(weights, rows, categories, [&](std::int64_t row, const T* weight) {
      Compute<T> sum = 0;
      for (Compute<T>& until : cumulative) until = sum += *weight++;
      for (Compute<T>& until : cumulative) until /= sum;
      cumulative.back() = 1;
      for (std::int64_t sample = 0; sample < samples; ++sample) {
        const double u = draw_unit(state.stream->engine);
        const auto found = std::lower_bound(cumulative.begin(), cumulative.end(), u,
                                            [](Compute<T> until, double value) { return until < value; });
        chosen[row * samples + sample] = found - cumulative.begin();
      }
    });
  });
}

WeightProblem choose_categories(const RandomArray& result, const RandomArray& weights,
                                const RandomArray& times, std::int64_t rows, std::int64_t categories,
                                std::int64_t samples) {
  auto* const chosen = static_cast<std::int64_t*>(result.data);
  return dispatch_real(weights.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    struct Ratio {
      Compute<T> value;
      std::int64_t category;
    };
    const auto before = [](const Ratio& a, const Ratio& b) {
      return (std::isnan(a.value) && !std::isnan(b.value)) || a.value > b.value;
    };
    std::vector<Ratio> ratios(static_cast<std::size_t>(categories));
    return for_rows<T>(weights, rows, categories, [&](std::int64_t row, const T* weight) {
      const T* time = static_cast<const T*>(times.data) + row * categories;
      for (std::int64_t i = 0; i < categories; ++i) {
        const auto ratio = static_cast<T>(Compute<T>(weight[i]) / Compute<T>(time[i]));
        ratios[static_cast<std::size_t>(i)] = {Compute<T>(ratio), i};
      }
      // PyTorch's topk, step by step: these algorithms determine the order of equal ratios.
      if (samples == 1) {
        std::swap(ratios.front(), *std::min_element(ratios.begin(), ratios.end(), before));
      } else if (samples * 64 <= categories) {
        std::partial_sort(ratios.begin(), ratios.begin() + samples, ratios.end(), before);
      } else {
        std::nth_element(ratios.begin(), ratios.begin() + samples - 1, ratios.end(), before);
        std::sort(ratios.begin(), ratios.begin() + samples - 1, before);
      }
      for (std::int64_t i = 0; i < samples; ++i)
        chosen[row * samples + i] = ratios[static_cast<std::size_t>(i)].category;
    });
  });
}

}  // namespace lectern::kernels::cpu
