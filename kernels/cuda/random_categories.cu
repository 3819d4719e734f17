#include <cstdint>
#include <vector>

#include "device/copy.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/random_fill.h"
#include "kernels/cuda/scratch.h"
#include "kernels/elementwise.h"
#include "kernels/random.h"
#include "kernels/reductions.h"
#include "kernels/sort.h"

namespace lectern::kernels::cuda {
namespace {

/// Contiguous rows.
struct Rows {
  const std::byte* data;
  Dtype dtype;
  std::int64_t count, columns;

  Rows(const RandomArray& array, std::int64_t rows, std::int64_t categories)
      : data(static_cast<const std::byte*>(array.data)),
        dtype(array.dtype),
        count(rows),
        columns(categories) {}

  LECTERN_HD double at(std::int64_t row, std::int64_t column) const {
    return load<double>(data + (row * columns + column) * element_size(dtype), dtype);
  }
};

/// The first problem of a row's weights.
struct CheckKernel {
  struct Found {
    double sum;
    std::int64_t column;
    WeightProblem problem;
  };

  Rows weights;
  WeightProblem* problems;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    Found found{0, weights.columns, WeightProblem::none};
    for (std::int64_t i = group.rank(); i < weights.columns; i += group.size()) {
      const double weight = weights.at(row, i);
      found.sum += weight;
      if (found.problem != WeightProblem::none || (math::is_finite(weight) && weight >= 0)) continue;
      found.column = i;
      found.problem = math::is_finite(weight) ? WeightProblem::negative : WeightProblem::not_finite;
    }
    found = group.reduce(found, [](Found a, const Found& b) {
      const double sum = a.sum + b.sum;
      if (b.column < a.column) a = b;
      a.sum = sum;
      return a;
    });
    if (found.problem == WeightProblem::none && !(found.sum > 0)) found.problem = WeightProblem::no_sum;
    if (group.rank() == 0) problems[row] = found.problem;
  }
};

/// The first problem of all rows. Waits for the work on the current stream.
WeightProblem find_problem(const Rows& weights) {
  std::vector<WeightProblem> problems(static_cast<std::size_t>(weights.count));
  const Scratch found(problems.size() * sizeof(WeightProblem));
  launch_teams(weights.count, weights.columns,
               CheckKernel{weights, static_cast<WeightProblem*>(found.data())});
  lectern::cuda::copy(problems.data(), found.data(), found.bytes());
  for (const WeightProblem problem : problems) {
    if (problem != WeightProblem::none) return problem;
  }
  return WeightProblem::none;
}

/// Cumulative sums of each row, divided by the last one. Each thread sums a run of neighbours.
template <typename Real>
struct CumulativeKernel {
  Rows weights;
  Real* cumulative;
  Real* run_sums;  ///< per row, one of each thread of its group

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    const std::int64_t run = (weights.columns + group.size() - 1) / group.size();
    const std::int64_t begin = smaller(group.rank() * run, weights.columns);
    const std::int64_t end = smaller(begin + run, weights.columns);
    Real sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += static_cast<Real>(weights.at(row, i));
    Real* const sums = run_sums + row * group.size();
    sums[group.rank()] = sum;
    group.sync();
    Real before = 0, total = 0;
    for (int i = 0; i < group.size(); ++i) {
      if (i == group.rank()) before = total;
      total += sums[i];
    }
    for (std::int64_t i = begin; i < end; ++i) {
      before += static_cast<Real>(weights.at(row, i));
      cumulative[row * weights.columns + i] = before / total;
    }
  }

  LECTERN_HD static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
};

/// A value in (0, 1] per sample: PyTorch has a thread for each sample of a row, in blocks of 128, and rows of
/// such blocks for at most 65,535 rows; each uses one word of a draw.
template <typename Real>
struct UnitKernel {
  static constexpr std::int64_t kThreads = 128;
  static constexpr std::int64_t kRows = 65535;

  Real* units;
  std::int64_t rows, samples;
  PhiloxState state;

  LECTERN_HD static std::int64_t side_by_side(std::int64_t rows) { return rows < kRows ? rows : kRows; }

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    const std::int64_t height = side_by_side(rows);
    const std::int64_t width = (samples + kThreads - 1) / kThreads * kThreads;
    for (std::int64_t i = thread; i < rows * samples; i += threads) {
      const std::int64_t row = i / samples;
      const auto drawing = static_cast<std::uint64_t>(row % height * width + i % samples);
      const auto turn = static_cast<std::uint64_t>(row / height);
      units[i] = static_cast<Real>(philox_unit(philox_draw(state, drawing, turn).word[0]));
    }
  }
};

/// The first category whose cumulative sum is ≥ `unit` or, for units from 0 on, > `unit`; never one of weight
/// 0.
template <typename Real>
struct SearchKernel {
  Rows weights;
  const Real* cumulative;
  const Real* units;
  std::int64_t* result;
  std::int64_t samples;
  bool from_zero;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < weights.count * samples; i += threads) {
      const std::int64_t row = i / samples;
      const Real* const until = cumulative + row * weights.columns;
      const Real unit = units[i];
      std::int64_t low = 0, high = weights.columns;
      while (low < high) {
        const std::int64_t half = low + (high - low) / 2;
        const bool before = from_zero ? until[half] <= unit : until[half] < unit;
        (before ? low : high) = before ? half + 1 : half;
      }
      if (low == weights.columns) --low;  // the sums end just below 1
      while (low > 0 && weights.at(row, low) == 0) --low;
      result[i] = low;
    }
  }
};

/// One sample of a row is drawn as uniform_() of the weights' dtype, several as in UnitKernel.
template <typename Real>
void draw_units(Real* units, Dtype dtype, std::int64_t rows, std::int64_t samples, GeneratorState& state) {
  if (samples > 1) {
    launch_for(rows * samples, UnitKernel<Real>{units, rows, samples, state.philox});
    const std::int64_t height = UnitKernel<Real>::side_by_side(rows);
    state.philox.offset += static_cast<std::uint64_t>((rows - 1) / height + 1) * 4;
    return;
  }
  const std::int64_t step = 1;
  const Scratch drawn(static_cast<std::size_t>(rows * element_size(dtype)));
  fill_uniform({drawn.data(), dtype, {&rows, 1}, {&step, 1}, true}, 0, 1, state);
  copy({&rows, 1}, {units, dtype_of<Real>, &step}, {drawn.data(), dtype, &step});
}

/// Keys that rise as quotients fall; NaN comes first.
struct QuotientKeys {
  const std::byte* quotients;
  Dtype dtype;
  std::uint64_t* keys;
  std::int64_t count;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < count; i += threads) {
      const double quotient = load<double>(quotients + i * element_size(dtype), dtype);
      // Non-negative values (without -0) are ordered by their bits.
      keys[i] = math::is_nan(quotient) ? 0 : ~__builtin_bit_cast(std::uint64_t, quotient + 0.0);
    }
  }
};

struct FirstPlaces {
  const std::int64_t* places;
  std::int64_t* result;
  std::int64_t rows, columns, samples;

  LECTERN_HD void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t i = thread; i < rows * samples; i += threads) {
      result[i] = places[i / samples * columns + i % samples];
    }
  }
};

}  // namespace

WeightProblem sample_categories(const RandomArray& result, const RandomArray& weights, std::int64_t rows,
                                std::int64_t categories, std::int64_t samples, GeneratorState& state) {
  auto* const chosen = static_cast<std::int64_t*>(result.data);
  const Rows weight_rows(weights, rows, categories);
  const WeightProblem problem = find_problem(weight_rows);
  if (problem != WeightProblem::none) return problem;
  dispatch_real_compute(weights.dtype, [&](auto tag) {
    using Real = typename decltype(tag)::type;
    const auto memory = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(Real); };
    const Scratch units(memory(rows * samples));
    auto* const unit = static_cast<Real*>(units.data());
    draw_units(unit, weights.dtype, rows, samples, state);
    const Scratch cumulative(memory(rows * categories)), run_sums(memory(rows * Block::size()));
    auto* const until = static_cast<Real*>(cumulative.data());
    launch_teams(rows, categories,
                 CumulativeKernel<Real>{weight_rows, until, static_cast<Real*>(run_sums.data())});
    launch_for(rows * samples, SearchKernel<Real>{weight_rows, until, unit, chosen, samples, samples == 1});
  });
  return problem;
}

WeightProblem choose_categories(const RandomArray& result, const RandomArray& weights,
                                const RandomArray& times, std::int64_t rows, std::int64_t categories,
                                std::int64_t samples) {
  const WeightProblem problem = find_problem(Rows(weights, rows, categories));
  if (problem != WeightProblem::none) return problem;
  const std::int64_t sizes[] = {rows, categories}, strides[] = {categories, 1};
  const Array quotients{times.data, times.dtype, strides};
  apply_binary(Binary::div, weights.dtype, sizes, quotients, {weights.data, weights.dtype, strides},
               quotients);
  if (samples == 1) {
    const Scratch largest(static_cast<std::size_t>(rows * element_size(times.dtype)));
    const std::int64_t each_row[] = {1, 0};
    const bool over[] = {false, true};
    const Array positions{result.data, int64, each_row};
    reduce(Reduction::max_position, times.dtype, sizes, over, {largest.data(), times.dtype, each_row},
           quotients, &positions);
    return problem;
  }
  const std::int64_t count = rows * categories;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  const Scratch key_memory(bytes), place_memory(bytes);
  auto* const keys = static_cast<std::uint64_t*>(key_memory.data());
  auto* const places = static_cast<std::int64_t*>(place_memory.data());
  launch_for(count, QuotientKeys{static_cast<const std::byte*>(times.data), times.dtype, keys, count});
  sort_rows(rows, categories, 64, keys, places);
  launch_for(rows * samples,
             FirstPlaces{places, static_cast<std::int64_t*>(result.data), rows, categories, samples});
  return problem;
}

}  // namespace lectern::kernels::cuda
