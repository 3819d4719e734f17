// What reductions and scans count, beside loops that count what they do.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "kernels/reduction_table.h"
#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/extremum.h"
#include "ops/nonzero.h"
#include "ops/reduced.h"
#include "ops/reductions.h"
#include "ops/scan.h"
#include "ops/shape_classes.h"

namespace lectern {
namespace {

using test::Array;
using test::Counted;
using test::each;
using test::kInfinity;
using test::states;

/// A reduction of `x` to the sizes `whole`, of `count` elements each.
using Loop = std::function<Array(const Array& x, const Sizes& whole, double count)>;

/// combine(state, element), then finish(state, the number of elements).
template <typename Combine, typename Finish>
Loop folding(double start, const Combine& combine, const Finish& finish, Dtype dtype = float32) {
  return [=](const Array& x, const Sizes& whole, double count) {
    const Array sums = states(x.sizes(), whole, {start},
                              [&](Counted state, const Sizes& index) { return combine(state, x[index]); });
    return test::finished(
        sums, [&](double state) { return finish(state, count); }, dtype);
  };
}
template <typename Combine>
Loop folding(double start, const Combine& combine, Dtype dtype = float32) {
  return folding(
      start, combine, [](double state, double) { return state; }, dtype);
}

constexpr auto kSumOfSquares = [](Counted sum, Counted x) { return sum + x * x; };
constexpr auto kSumOfSizes = [](Counted sum, Counted x) { return sum + abs(x); };
constexpr auto kLargestSize = [](Counted most, Counted x) { return max(most, abs(x)); };
constexpr auto kSmallestSize = [](Counted least, Counted x) { return test::kSmaller(least, abs(x)); };
constexpr auto kNonzeroCount = [](Counted sum, Counted x) {
  return sum + test::counted(x.value != 0 ? 1 : 0);
};
constexpr auto kAnyTrue = [](Counted state, Counted x) {
  return test::counted(x.value != 0 ? 1 : state.value);
};
constexpr auto kAllTrue = [](Counted state, Counted x) {
  return test::counted(x.value == 0 ? 0 : state.value);
};

/// Σ (x - mean)², to be divided by an operation in place.
Array squared_deviations(const Array& x, const Sizes& whole, double count) {
  const Array sums = states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) { return sum + x[i]; });
  const Array squares = states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) {
    const Counted distance = x[i] - Counted{sums.value(i) / count};
    return sum + distance * distance;
  });
  return test::finished(squares, [](double sum) { return sum; });
}
auto divided(double count, double correction) {
  return [divisor = std::max(0., count - correction)](Counted sum) { return sum / Counted{divisor}; };
}

Array log_sum_exp(const Array& x, const Sizes& whole, double) {
  const Array most =
      states(x.sizes(), whole, {-kInfinity}, [&](Counted state, const Sizes& i) { return max(state, x[i]); });
  const Array sums = states(x.sizes(), whole, {0}, [&](Counted sum, const Sizes& i) {
    return sum + exp(x[i] - Counted{most.value(i)});
  });
  const Array out = Array::made(whole);
  test::for_each_index(whole, [&](const Sizes& i) {
    const double sum = sums.value(i);
    out.set(i, {sum == 0 ? -kInfinity : most.value(i) + std::log(sum)});
  });
  return out;
}

/// The loop of a norm; of nothing it is 0, which is filled in.
Loop norm_of_vector(double p) {
  const auto root = [](double state, double) { return std::sqrt(state); };
  const Loop known = p == 0            ? folding(0, kNonzeroCount)
                     : p == 1          ? folding(0, kSumOfSizes)
                     : p == 2          ? folding(0, kSumOfSquares, root)
                     : p == kInfinity  ? folding(0, kLargestSize)
                     : p == -kInfinity ? folding(kInfinity, kSmallestSize)
                                       : Loop();
  return [=](const Array& x, const Sizes& whole, double count) {
    if (count == 0) return test::filled_array(0, whole);
    if (known) return known(x, whole, count);
    const Array powers = each(test::to_power(p), each(test::kAbs, x));
    return each(test::to_power(1 / p), test::whole_sum(powers, whole));
  };
}

/// The sets of dimensions that an operation takes.
enum class Over : std::uint8_t { any_dims, any_but_kept, one_or_all, all };

struct ReductionRow {
  const char* name;
  std::function<Tensor(const Tensor&, const Sizes&, bool)> call;
  Loop loop;
  bool needs_elements = false;  ///< refused where there are none
  Over over = Over::any_dims;

  bool takes(const Sizes& dims, bool keepdim) const {
    switch (over) {
      case Over::any_dims:
        return true;
      case Over::any_but_kept:
        return !keepdim;
      case Over::one_or_all:
        return dims.size() == 1 || (dims.empty() && !keepdim);
      case Over::all:
        return dims.empty() && !keepdim;
    }
    return false;
  }
};

/// That are reduced to one.
double elements_each(const Sizes& sizes, const Sizes& whole) {
  double count = 1;
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (whole[d] != sizes[d]) count *= static_cast<double>(sizes[d]);
  return count;
}

/// Of all shapes, over all sets of dimensions, which are removed or kept.
void expect_row(const ReductionRow& row) {
  test::for_each_shape([&](const Tensor& x) {
    for (const Sizes& dims : test::dim_sets(x.sizes().size())) {
      const Sizes whole = test::reduced_sizes(x.sizes(), dims, true);
      const double count = elements_each(x.sizes(), whole);
      if (row.needs_elements && count == 0) continue;
      for (const bool keepdim : {false, true}) {
        if (!row.takes(dims, keepdim)) continue;
        SCOPED_TRACE(std::string(row.name) + " over " + to_string(dims));
        test::expect_cost(
            [&] { return row.call(x, dims, keepdim); },
            [&] {
              return row.loop(Array(x), whole, count).viewed(test::reduced_sizes(x.sizes(), dims, keepdim));
            });
      }
    }
  });
}

TEST(Cost, OfReductions) {
  const auto average = [](double sum, double count) { return sum / count; };
  const ReductionRow rows[] = {
      {"sum", [](const auto& x, const auto& dims, bool keep) { return sum(x, dims, keep); },
       folding(0, test::kPlus)},
      {"sum in float64",
       [](const auto& x, const auto& dims, bool keep) { return sum(x, dims, keep, float64); },
       folding(0, test::kPlus, float64)},
      {"mean", [](const auto& x, const auto& dims, bool keep) { return mean(x, dims, keep); },
       folding(0, test::kPlus, average)},
      {"amax", [](const auto& x, const auto& dims, bool keep) { return amax(x, dims, keep); },
       folding(-kInfinity, test::kLarger), true},
      {"amin", [](const auto& x, const auto& dims, bool keep) { return amin(x, dims, keep); },
       folding(kInfinity, test::kSmaller), true},
      {"any", [](const auto& x, const auto& dims, bool keep) { return any(x, dims, keep); },
       folding(0, kAnyTrue, bool_)},
      {"all", [](const auto& x, const auto& dims, bool keep) { return all(x, dims, keep); },
       folding(1, kAllTrue, bool_)},
      {"logsumexp", [](const auto& x, const auto& dims, bool keep) { return logsumexp(x, dims, keep); },
       log_sum_exp},
  };
  for (const ReductionRow& row : rows) expect_row(row);
}

TEST(Cost, OfVariances) {
  for (const std::int64_t correction : {0, 1}) {
    const auto variance = [=](const Array& x, const Sizes& whole, double count) {
      return each(divided(count, static_cast<double>(correction)), squared_deviations(x, whole, count));
    };
    expect_row({"var",
                [=](const auto& x, const auto& dims, bool keep) { return var(x, dims, correction, keep); },
                variance});
    expect_row({"std",
                [=](const auto& x, const auto& dims, bool keep) { return std(x, dims, correction, keep); },
                [=](const Array& x, const Sizes& whole, double count) {
                  return each(test::kRoot, variance(x, whole, count));
                }});
  }
}

TEST(Cost, OfNormsOfVectors) {
  for (const double p : {0., 1., 2., kInfinity, -kInfinity, 3.}) {
    expect_row({"norm", [=](const auto& x, const auto& dims, bool keep) { return norm(x, p, dims, keep); },
                norm_of_vector(p)});
  }
}

TEST(Cost, OfReductionsOverOneDimensionOrAll) {
  const auto over = [](const auto& dim, const auto& all) {
    return [=](const Tensor& x, const Sizes& dims, bool keep) {
      return dims.empty() ? all(x) : dim(x, dims[0], keep);
    };
  };
  expect_row({"prod",
              over([](const auto& x, std::int64_t dim, bool keep) { return prod(x, dim, keep); },
                   [](const auto& x) { return prod(x); }),
              folding(1, test::kTimes), false, Over::one_or_all});
  expect_row({"max of all", [](const auto& x, const auto&, bool) { return max(x); },
              folding(-kInfinity, test::kLarger), true, Over::all});
  expect_row({"min of all", [](const auto& x, const auto&, bool) { return min(x); },
              folding(kInfinity, test::kSmaller), true, Over::all});
  expect_row({"sum of all", [](const auto& x, const auto&, bool) { return sum(x); }, folding(0, test::kPlus),
              false, Over::all});
  expect_row({"mean of all", [](const auto& x, const auto&, bool) { return mean(x); },
              folding(0, test::kPlus, [](double sum, double count) { return sum / count; }), false,
              Over::all});
  expect_row({"count_nonzero", [](const auto& x, const auto& dims, bool) { return count_nonzero(x, dims); },
              folding(0, kNonzeroCount, int64), false, Over::any_but_kept});
}

enum class Made : std::uint8_t { values, positions };

/// The values and the positions along `dim` of the first extremal elements, of which one is shown.
Array extremal(const Array& x, std::int64_t dim, bool is_largest, Made shown) {
  const Sizes whole = test::with_one(x.sizes(), dim);
  const auto at = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(x.sizes().size()) : dim);
  const Array places = Array::workspace(whole);
  const double start = is_largest ? -kInfinity : kInfinity;
  const Array values = states(x.sizes(), whole, {start}, [&](Counted state, const Sizes& i) {
    const Counted y = x[i];
    if ((is_largest ? state < y : y < state).value == 0) return state;
    places.set(i, {static_cast<double>(x.sizes().empty() ? 0 : i[at])});
    return y;
  });
  const auto same = [](double value) { return value; };
  const Array made[] = {test::finished(values, same), test::finished(places, same, int64)};
  return made[shown == Made::values ? 0 : 1];
}

TEST(Cost, OfExtremaWithPositions) {
  const auto row = [](const char* name, bool is_largest, Made shown, const auto& call) {
    test::for_each_shape([&](const Tensor& x) {
      for (const Sizes& dims : test::dim_sets(x.sizes().size())) {
        if (dims.size() > 1 || (dims.empty() && x.dim() > 0)) continue;
        const std::int64_t dim = dims.empty() ? 0 : dims[0];
        if (x.dim() > 0 && x.size(dim) == 0) continue;
        for (const bool keep : {false, true}) {
          SCOPED_TRACE(std::string(name) + " over " + std::to_string(dim));
          test::expect_cost([&] { return call(x, dim, keep); },
                            [&] {
                              return extremal(Array(x), dim, is_largest, shown)
                                  .viewed(test::reduced_sizes(x.sizes(), {dim}, keep));
                            });
        }
      }
    });
  };
  using Dim = std::int64_t;
  row("max", true, Made::values, [](const auto& x, Dim dim, bool keep) { return max(x, dim, keep).values; });
  row("min", false, Made::positions,
      [](const auto& x, Dim dim, bool keep) { return min(x, dim, keep).indices; });
  row("argmax", true, Made::positions,
      [](const auto& x, Dim dim, bool keep) { return argmax(x, dim, keep); });
  row("argmin", false, Made::positions,
      [](const auto& x, Dim dim, bool keep) { return argmin(x, dim, keep); });
}

TEST(Cost, OfPositionsAmongAllElements) {
  test::for_each_shape([](const Tensor& x) {
    if (x.numel() == 0) return;
    for (const bool is_largest : {true, false}) {
      test::expect_cost(
          [&] { return is_largest ? argmax(x) : argmin(x); },
          [&] { return extremal(test::flattened(x), 0, is_largest, Made::positions).viewed({}); });
    }
  });
}

TEST(Cost, OfScans) {
  const auto scan = [](const Tensor& x, std::int64_t dim, double start, const auto& combine) {
    const Array in(x), out = Array::like(x);
    states(x.sizes(), test::with_one(x.sizes(), dim), {start}, [&](Counted state, const Sizes& i) {
      state = combine(state, in[i]);
      out.set(i, state);
      return state;
    });
    return out;
  };
  test::for_each_shape([&](const Tensor& x) {
    for (std::int64_t dim = -1; dim < x.dim(); ++dim) {
      test::expect_cost([&] { return cumsum(x, dim); }, [&] { return scan(x, dim, 0, test::kPlus); });
      test::expect_cost([&] { return cumprod(x, dim); }, [&] { return scan(x, dim, 1, test::kTimes); });
    }
  });
}

}  // namespace
}  // namespace lectern
