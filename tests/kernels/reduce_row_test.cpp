#include "kernels/reduce_row.h"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/reduction_functors.h"

namespace lectern::kernels {
namespace {

/// A group of one thread.
struct OneLane {
  static int rank() { return 0; }
  static int size() { return 1; }
  template <typename T, typename Merge>
  T reduce(T value, Merge) const {
    return value;
  }
};

/// One thread of several, whose own state is what comes out.
struct OneOf {
  int number, count;

  int rank() const { return number; }
  int size() const { return count; }
  template <typename T, typename Merge>
  T reduce(T value, Merge) const {
    return value;
  }
};

template <int kTaken>
struct VectorRow {
  using Value = double;
  static constexpr int kChunk = kTaken;
  const std::vector<double>& numbers;

  void chunk(std::int64_t at, std::int64_t end, double* values) const { fill(at, 1, end, values, kChunk); }
  void steps(std::int64_t at, std::int64_t step, std::int64_t end, double* values) const {
    fill(at, step, end, values, kLanes);
  }
  void fill(std::int64_t at, std::int64_t step, std::int64_t end, double* values, int count) const {
    for (int i = 0; i < count; ++i) {
      const std::int64_t index = at + i * step;
      values[i] = index < end ? numbers[static_cast<std::size_t>(index)] : -1e9;  // never to be seen
    }
  }
};

struct AheadRow : VectorRow<4> {
  static constexpr int kAhead = 3;

  void whole(std::int64_t at, double* values) const {
    for (int i = 0; i < kChunk; ++i) values[i] = numbers.at(static_cast<std::size_t>(at + i));
  }
};

std::vector<double> squares(std::int64_t count) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<double>(i * i % 1009));
  return numbers;
}

double sum_of(const std::vector<double>& numbers, std::int64_t begin, std::int64_t end) {
  return std::accumulate(numbers.begin() + begin, numbers.begin() + end, 0.0);
}

TEST(ReduceRow, TakesInEveryElementOnce) {
  for (const std::int64_t count : {0, 1, 3, 4, 5, 8, 9, 63, 64, 65, 1000}) {
    const std::vector<double> numbers = squares(count);
    for (const std::int64_t begin : {std::int64_t{0}, count / 2}) {
      const double expected = sum_of(numbers, begin, count);
      EXPECT_EQ(reduce_row<Sum<double>>(OneLane(), VectorRow<4>{numbers}, begin, count), expected) << count;
      for (const int threads : {2, 32}) {
        double total = 0;
        for (int rank = 0; rank < threads; ++rank) {
          total += reduce_row<Sum<double>>(OneOf{rank, threads}, VectorRow<8>{numbers}, begin, count);
        }
        EXPECT_EQ(total, expected) << count << " by " << threads;
      }
    }
  }
}

TEST(ReduceRow, ReadingAheadChangesNoBit) {
  for (const std::int64_t count : {0, 1, 47, 48, 49, 95, 96, 97, 500}) {
    std::vector<double> numbers = squares(count);
    for (double& number : numbers) number = 1 / (number + 3);
    for (const std::int64_t begin : {std::int64_t{0}, count / 3}) {
      for (int rank = 0; rank < 4; ++rank) {
        const OneOf thread{rank, 4};
        EXPECT_EQ(reduce_row<Sum<double>>(thread, AheadRow{{numbers}}, begin, count),
                  reduce_row<Sum<double>>(thread, VectorRow<4>{numbers}, begin, count))
            << count << " from " << begin;
      }
    }
  }
}

TEST(ReduceRow, KnowsPositions) {
  const std::vector<double> numbers{3, 9, 1, 9, 2, 0, 9, 5, 4, 9, 7};
  const auto count = static_cast<std::int64_t>(numbers.size());
  const auto largest = reduce_row<MaxPosition<double>>(OneLane(), VectorRow<8>{numbers}, 0, count);
  EXPECT_EQ(largest.index, 1);
  const auto of_steps = reduce_steps<MaxPosition<double>>(VectorRow<4>{numbers}, 0, 3, count);
  EXPECT_EQ(of_steps.index, 3) << "of 0, 3, 6 and 9";
}

TEST(ReduceRow, StepsCoverWhatTheyShould) {
  const std::vector<double> numbers = squares(100);
  for (const std::int64_t parts : {1, 2, 7, 100}) {
    double total = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      total += reduce_steps<Sum<double>>(VectorRow<4>{numbers}, part, parts, 100);
    }
    EXPECT_EQ(total, sum_of(numbers, 0, 100)) << parts;
  }
}

TEST(ReduceRow, StatesOfPartsMergeToTheWhole) {
  const std::vector<double> sums{1, 2, 3, 4, 5};
  EXPECT_EQ(reduce_row<Merging<Sum<double>>>(OneLane(), VectorRow<4>{sums}, 0, 5), 15);
}

}  // namespace
}  // namespace lectern::kernels
