#include "kernels/row.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cpu/row_kernels.h"
#include "kernels/cpu/run.h"
#include "kernels/cpu/streaming.h"
#include "kernels/cross_entropy_row.h"
#include "kernels/gradient_norms.h"
#include "kernels/norm_row.h"
#include "kernels/other_isas.h"
#include "kernels/row_functors.h"
#include "simulated_gpu/launch.h"

// The row algorithms by one lane and by 32, and on every instruction set.

namespace lectern::kernels::cpu {
namespace {

using cuda::Warp;

using Numbers = std::vector<double>;
using NearRow = Run<double>;

/// body(warp) in its 32 lanes, which work together.
template <typename Body>
void run_warp(const Body& body) {
  test::run_side_by_side(Warp::size(), [&](int rank) { body(Warp(rank)); });
}

constexpr std::int64_t kLengths[] = {1, 2, 31, 32, 33, 127, 128, 129, 1000, 2500};

/// Numbers as a group on a GPU sees them: far, four at a time.
struct FarRow {
  using Value = double;
  struct Chunk {
    double value[4];
    double operator[](std::int64_t i) const { return value[i]; }
    double& operator[](std::int64_t i) { return value[i]; }
  };
  static constexpr int kChunk = 4;
  static constexpr bool kNear = false;
  Numbers* numbers;

  double operator[](std::int64_t i) const { return numbers->at(static_cast<std::size_t>(i)); }
  Chunk chunk(std::int64_t at) const { return rest(at, at + kChunk); }
  Chunk rest(std::int64_t at, std::int64_t count) const {
    Chunk chunk;
    for (int i = 0; i < kChunk; ++i) chunk[i] = at + i < count ? (*this)[at + i] : 1e99;  // never to be seen
    return chunk;
  }
  FarRow before_next(std::int64_t) const { return *this; }
  std::int64_t head(std::int64_t) const { return 0; }
  Chunk open(std::int64_t) const { return {}; }
  void close(std::int64_t at, const Chunk& chunk, std::int64_t count = kChunk) const {
    for (std::int64_t i = 0; i < count; ++i) set(at + i, chunk[i]);
  }
  void set(std::int64_t i, double value) const { numbers->at(static_cast<std::size_t>(i)) = value; }
};

Numbers random_numbers(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, 3);
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) number = normal(engine);
  return numbers;
}

void expect_close(const Numbers& got, const Numbers& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i])))
        << "at " << i << " of " << got.size();
  }
}

/// Calls by_lanes(group, rows like `numbers`…) in 32 lanes and by_one(Alone, …) in one, on copies of the
/// numbers; the first are written and have to agree.
template <typename Algorithm>
void expect_same_by_lanes(std::int64_t count, const Algorithm& algorithm) {
  Numbers a = random_numbers(count, 1), b = random_numbers(count, 2), c = random_numbers(count, 3);
  Numbers far(static_cast<std::size_t>(count), 77), near = far;
  run_warp([&](const Warp& warp) { algorithm(warp, FarRow{&far}, FarRow{&a}, FarRow{&b}, FarRow{&c}); });
  algorithm(Alone{}, NearRow{near.data()}, NearRow{a.data()}, NearRow{b.data()}, NearRow{c.data()});
  expect_close(far, near);
  Numbers alone_far(static_cast<std::size_t>(count), 78);
  algorithm(Alone{}, FarRow{&alone_far}, FarRow{&a}, FarRow{&b}, FarRow{&c});
  expect_close(alone_far, near);
}

TEST(Row, LanesAgreeWithOne) {
  for (const std::int64_t count : kLengths) {
    SCOPED_TRACE(count);
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& x, const auto&,
                                    const auto&) { Softmax::forward(group, count, out, x); });
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& x, const auto&,
                                    const auto&) { LogSoftmax::forward(group, count, out, x); });
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& x, const auto&,
                                    const auto&) { Softmin::forward(group, count, out, x); });
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& grad, const auto& y,
                                    const auto&) { Softmax::backward(group, count, out, grad, y); });
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& grad, const auto& y,
                                    const auto&) { LogSoftmax::backward(group, count, out, grad, y); });
    expect_same_by_lanes(
        count, [=](const auto& group, const auto& out, const auto& x, const auto& w, const auto& b) {
          const auto found = norm_row<true>(group, count, 1e-5, out, x, w, b);
          EXPECT_GT(found.rstd, 0);
        });
    expect_same_by_lanes(count, [=](const auto& group, const auto& out, const auto& x, const auto& w,
                                    const auto& b) { norm_row<false>(group, count, 1e-5, out, x, w, b); });
    const RowStatistics<double> statistics{0.5, 2};
    expect_same_by_lanes(
        count, [=](const auto& group, const auto& out, const auto& g, const auto& x, const auto& w) {
          norm_backward_row<true>(group, count, statistics, out, g, x, w);
        });
    expect_same_by_lanes(
        count, [=](const auto& group, const auto& out, const auto& g, const auto& x, const auto& w) {
          norm_backward_row<false>(group, count, statistics, out, g, x, w);
        });
    for (const TotalNorm kind : {TotalNorm::one, TotalNorm::two, TotalNorm::infinity}) {
      expect_same_by_lanes(
          count, [=](const auto& group, const auto& out, const auto& x, const auto& y, const auto&) {
            const double part = norm_part(group, count, kind, x);
            const double all = norm_from_parts(group, count, TotalNorm::infinity, y);
            for (std::int64_t i = 0; group.rank() == 0 && i < count; ++i) out.set(i, part + all);
          });
    }
    for (const double smoothing : {0.0, 0.1}) {
      const ClassRule<double> rule{-100, smoothing};
      const std::int64_t target = count / 2;
      expect_same_by_lanes(
          count, [=](const auto& group, const auto& out, const auto& x, const auto& w, const auto&) {
            const RowLoss<double> row = cross_entropy_row(group, count, rule, target, x, w);
            if (group.rank() == 0) out.set(0, row.loss + 3 * row.normalizer.max + 5 * row.normalizer.log_sum);
            group.sync();
            cross_entropy_backward_row(group, count, rule, target, row.normalizer, 0.7, out, x, w);
          });
    }
  }
}

TEST(Row, EveryLaneHasTheResult) {
  for (const std::int64_t count : kLengths) {
    Numbers numbers = random_numbers(count, 4);
    double expected = 0;
    for (const double number : numbers) expected += number;
    run_warp([&](const Warp& warp) {
      EXPECT_NEAR(fold_row<Sum<double>>(warp, count, Itself{}, FarRow{&numbers}), expected, 1e-10) << count;
    });
  }
}

TEST(Row, CrossEntropyIsWhatItSays) {
  Numbers x = {1, 2, 3}, out(3);
  const ClassRule<double> rule{1, 0.3};
  const double all = std::log(std::exp(1) + std::exp(2) + std::exp(3));
  const auto row = cross_entropy_row(Alone{}, 3, rule, 0, NearRow{x.data()}, Repeated<double>{1});
  EXPECT_NEAR(row.loss, 0.7 * (all - 1) + 0.1 * (3 * all - 6), 1e-14);
  EXPECT_NEAR(row.normalizer.max + row.normalizer.log_sum, all, 1e-14);
  const auto ignored = cross_entropy_row(Alone{}, 3, rule, 1, NearRow{x.data()}, Repeated<double>{1});
  EXPECT_EQ(ignored.loss, 0);
  EXPECT_EQ(ignored.weight, 0);
  const auto wrong = cross_entropy_row(Alone{}, 3, rule, 3, NearRow{x.data()}, Repeated<double>{1});
  EXPECT_TRUE(std::isnan(wrong.loss));
  cross_entropy_backward_row(Alone{}, 3, rule, 1, row.normalizer, 1.0, NearRow{out.data()}, NearRow{x.data()},
                             Repeated<double>{1});
  EXPECT_EQ(out, (Numbers{0, 0, 0}));
  cross_entropy_backward_row(Alone{}, 3, rule, 3, row.normalizer, 1.0, NearRow{out.data()}, NearRow{x.data()},
                             Repeated<double>{1});
  for (const double gradient : out) EXPECT_TRUE(std::isnan(gradient));
}

TEST(Row, SoftmaxOfInfinities) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Numbers& numbers :
       {Numbers(40, -kInfinity), Numbers{1, kInfinity, 2}, Numbers{1, std::nan("")}}) {
    Numbers x = numbers, near = numbers, far = numbers;
    const auto count = static_cast<std::int64_t>(x.size());
    Softmax::forward(Alone{}, count, NearRow{near.data()}, NearRow{x.data()});
    run_warp([&](const Warp& warp) { Softmax::forward(warp, count, FarRow{&far}, FarRow{&x}); });
    for (const Numbers& result : {near, far}) {
      bool any = false;
      for (const double number : result) any = any || std::isnan(number);
      EXPECT_TRUE(any);
    }
  }
}

/// Rows of distances from the first number on which a pass more depends.
std::vector<std::vector<float>> rows_with_an_unusual_first(std::initializer_list<float> distances) {
  std::vector<std::vector<float>> rows;
  for (const float distance : distances) {
    const Numbers numbers = random_numbers(1000, 4);
    std::vector<float>& row = rows.emplace_back(numbers.begin(), numbers.end());
    row[0] = row[500] - distance;
  }
  return rows;
}

TEST(Row, LogSumOfPowersWhateverComesFirst) {
  for (std::vector<float>& row : rows_with_an_unusual_first({0, 5, -5, 20, -40, 33, 90, 200, 1e30F})) {
    double largest = row[0], sum = 0;
    for (const float x : row) largest = std::max<double>(largest, x);
    for (const float x : row) sum += std::exp(x - largest);
    const auto powers = row_powers<float>(Alone{}, 1000, kernels::cpu::Run<float>{row.data()});
    EXPECT_EQ(powers.max, static_cast<float>(largest)) << row[0];
    EXPECT_NEAR(powers.sum, sum, 1e-6 * sum) << row[0];
  }
}

TEST(Row, MomentsWhateverComesFirst) {
  for (std::vector<float>& row : rows_with_an_unusual_first({0, 5, -7, 20, -100, 1e4F})) {
    for (const float offset : {0.0F, 1e3F}) {
      for (float& x : row) x += offset;
      double sum = 0, squares = 0;
      for (const float x : row) sum += x;
      for (const float x : row) squares += (x - sum / 1000) * (x - sum / 1000);
      const auto moments = row_moments(Alone{}, 1000, kernels::cpu::Run<float>{row.data()});
      EXPECT_NEAR(moments.first, sum / 1000, 2e-7 * (1 + std::abs(sum / 1000))) << row[0];
      EXPECT_NEAR(moments.second, squares / 1000, 2e-6 * squares / 1000) << row[0];
    }
  }
}

/// All algorithms of a table one after the other. Their results begin `offset` numbers behind a line of the
/// cache.
template <typename T>
std::vector<T> all_results(const RowKernels<T>& kernels, std::int64_t count, bool stream = false,
                           std::size_t offset = 0) {
  const auto of = [&](unsigned seed) {
    const Numbers numbers = random_numbers(count, seed);
    return std::vector<T>(numbers.begin(), numbers.end());
  };
  const std::vector<T> a = of(1), b = of(2), c = of(3);
  std::vector<T> room(a.size() + offset + 2 * kCacheLine), draft(a.size()), second(a.size()), results;
  T* const out = room.data() + elements_before_line<sizeof(T)>(room.data(), kCacheLine) + offset;
  const auto keep = [&](const std::vector<T>& more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  const auto keep_result = [&] {
    finish_streaming();
    results.insert(results.end(), out, out + count);
  };
  const LineTarget<T> to{out, stream ? draft.data() : out, stream};
  const ClassRule<T> rule{-100, T(0.1)};
  for (const auto kernel : kernels.forward) kernel(to, a.data(), count), keep_result();
  for (const auto kernel : kernels.backward) kernel(to, a.data(), b.data(), count), keep_result();
  const auto statistics = kernels.layer_norm(to, a.data(), b.data(), c.data(), T(1e-5), count);
  keep_result(), keep({statistics.mean, statistics.rstd});
  keep({kernels.rms_norm(to, a.data(), nullptr, nullptr, T(1e-5), count).rstd}), keep_result();
  kernels.layer_norm_backward(to, a.data(), b.data(), c.data(), statistics, count), keep_result();
  kernels.rms_norm_backward(to, a.data(), b.data(), nullptr, statistics, count), keep_result();
  const T means[] = {statistics.mean, T(0.5), T(0), T(-1)}, rstds[] = {statistics.rstd, T(2), T(3), T(0.1)};
  draft.assign(a.size(), 0);
  for (const std::int64_t together : {std::int64_t{2}, kNormRowsTogether}) {
    const NormRows<T> rows{together, a.data(), 0, b.data(), 0, means, rstds};
    kernels.norm_parameters(draft.data(), second.data(), rows, count);
  }
  keep(draft), keep(second);
  const Both<T> moments = kernels.moments(a.data(), count);
  const Both<T> sums = kernels.gradient_sums(a.data(), b.data(), statistics, count);
  keep({moments.first, moments.second, sums.first, sums.second});
  kernels.normalize(to, a.data(), statistics, T(3), T(0.5), count), keep_result();
  kernels.norm_gradient(to, a.data(), b.data(), {statistics, T(0.25), T(-0.5)}, T(3), count), keep_result();
  const RowLoss<T> loss = kernels.cross_entropy(a.data(), count / 2, b.data(), rule, count);
  keep({loss.loss, loss.normalizer.max, loss.normalizer.log_sum, loss.weight});
  kernels.cross_entropy_backward(to, a.data(), count / 2, nullptr, loss.normalizer, T(0.5), rule, count);
  keep_result();
  return results;
}

TEST(Row, InstructionSetsAgreeStreamedOrNot) {
  for (const std::int64_t count : kLengths) {
    const auto floats = all_results(row_kernels(Isa::portable).floats, count);
    const auto doubles = all_results(row_kernels(Isa::portable).doubles, count);
    for (const Isa isa : all_isas()) {
      for (const bool stream : {false, true}) {
        for (const std::size_t offset : {0U, 1U, 7U}) {
          EXPECT_EQ(all_results(row_kernels(isa).floats, count, stream, offset), floats);
          EXPECT_EQ(all_results(row_kernels(isa).doubles, count, stream, offset), doubles);
        }
      }
    }
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
