#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/tensors.h"

// Plain loops that count what they do, to compare the formulas of device/counters.h with.

namespace lectern {

inline void PrintTo(const Counters& counters, std::ostream* out) {
  *out << counters.flops << " floating-point operations, " << counters.bytes << " bytes";
}

}  // namespace lectern

namespace lectern::test {

/// What the loops of this program have done.
inline Counters looped;

/// A number that counts each operation as one.
struct Counted {
  double value = 0;
};
inline Counted counted(double result) {
  ++looped.flops;
  return {result};
}
inline Counted operator+(Counted a, Counted b) {
  return counted(a.value + b.value);
}
inline Counted operator-(Counted a, Counted b) {
  return counted(a.value - b.value);
}
inline Counted operator*(Counted a, Counted b) {
  return counted(a.value * b.value);
}
inline Counted operator/(Counted a, Counted b) {
  return counted(a.value / b.value);
}
inline Counted operator<(Counted a, Counted b) {
  return counted(a.value < b.value ? 1 : 0);
}
inline Counted max(Counted a, Counted b) {
  return counted(std::max(a.value, b.value));
}
inline Counted abs(Counted a) {
  return counted(std::abs(a.value));
}
inline Counted exp(Counted a) {
  return counted(std::exp(a.value));
}
inline Counted log1p(Counted a) {
  return counted(std::log1p(a.value));
}

/// Numbers in memory, as one operation sees them: an element counts its bytes when it is first read and when
/// it is first written, unless it is workspace.
class Array {
 public:
  /// What an operation is given.
  explicit Array(const Tensor& tensor);
  /// What it makes, of the sizes and dtype of `like`, all 0.
  static Array like(const Tensor& like) { return made(like.sizes(), like.dtype()); }
  static Array made(const Sizes& sizes, Dtype dtype = float32) {
    return {sizes, static_cast<std::int64_t>(element_size(dtype))};
  }
  static Array workspace(const Sizes& sizes) { return {sizes, 0}; }

  const Sizes& sizes() const { return sizes_; }
  /// A dimension of size 1 is broadcast, and so are those before the first.
  Counted operator[](const Sizes& index) const;
  void set(const Sizes& index, Counted number) const;
  /// Where an index leads: an element counts each time.
  Counted picked(const Sizes& index) const;
  void put(const Sizes& index, Counted number) const;
  /// The same numbers as another operation is given them: they count anew.
  Array again() const;
  /// The same memory with two dimensions exchanged, and, of an array that is made here, with other sizes.
  Array transposed(std::size_t a = 0, std::size_t b = 1) const;
  /// Of the last two.
  Array mT() const { return transposed(sizes_.size() - 2, sizes_.size() - 1); }
  Array viewed(const Sizes& sizes) const;
  /// The same elements in another shape: contiguous ones, or one that is repeated.
  Array reshaped(const Sizes& sizes) const;
  /// Without counting.
  double value(const Sizes& index) const { return memory_->numbers[place(index)]; }

 private:
  struct Memory {
    std::vector<double> numbers;
    std::vector<bool> read, written;
  };

  Array(const Sizes& sizes, std::int64_t element_size);
  std::size_t place(const Sizes& index) const;

  Sizes sizes_, strides_;
  std::int64_t element_size_;
  std::shared_ptr<Memory> memory_;
};

/// Writes function(an element of each) to all elements. As in all of the following, what is given counts
/// anew.
template <typename Function, typename... Arrays>
void each_into(const Array& out, const Function& function, const Arrays&... in) {
  const auto loop = [&](const auto&... fresh) {
    for_each_index(out.sizes(), [&](const Sizes& index) { out.set(index, function(fresh[index]...)); });
  };
  loop(in.again()...);
}

/// The same to a new array, of the given dtype or float32.
template <typename Function, typename... Arrays>
Array each_as(Dtype dtype, const Function& function, const Arrays&... in) {
  Sizes sizes;
  ((sizes = broadcast_sizes("each", sizes, in.sizes())), ...);
  const Array out = Array::made(sizes, dtype);
  each_into(out, function, in...);
  return out;
}
template <typename Function, typename... Arrays>
Array each(const Function& function, const Arrays&... in) {
  return each_as(float32, function, in...);
}

/// The index without its place `dim`, and with a new one.
Sizes without(Sizes index, std::size_t dim);
Sizes with(Sizes index, std::size_t dim, std::int64_t at);

/// Workspace of the sizes `whole`, which broadcast to `sizes`: step(state, index) for the indices of `sizes`,
/// from `start` on.
template <typename Step>
Array states(const Sizes& sizes, const Sizes& whole, Counted start, const Step& step) {
  const Array all = Array::workspace(whole);
  for_each_index(whole, [&](const Sizes& index) { all.set(index, start); });
  for_each_index(sizes, [&](const Sizes& index) { all.set(index, step(all[index], index)); });
  return all;
}
/// A new array of what finish(value) makes of each state: work that counts nothing.
template <typename Finish>
Array finished(const Array& states, const Finish& finish, Dtype dtype = float32) {
  const Array out = Array::made(states.sizes(), dtype);
  for_each_index(out.sizes(), [&](const Sizes& index) { out.set(index, {finish(states.value(index))}); });
  return out;
}

/// The first of an index, or of sizes.
inline Sizes leading(const Sizes& index, std::size_t count) {
  return Sizes(std::span<const std::int64_t>(index).first(count));
}

/// A new array of the sizes `whole`: the elements that broadcast with each put together by combine(state,
/// element).
template <typename Combine>
Array folded(const Array& x, const Sizes& whole, Counted start, const Combine& combine) {
  const Array in = x.again();
  return finished(states(x.sizes(), whole, start,
                         [&](Counted state, const Sizes& index) { return combine(state, in[index]); }),
                  [](double value) { return value; });
}
/// `sizes` with size 1 along `dim`, which is negative from the end; those of a single element stay.
Sizes with_one(Sizes sizes, std::int64_t dim);
/// Sums to the sizes `whole`, and without `dim`.
Array whole_sum(const Array& x, const Sizes& whole);
Array sum_along(const Array& x, std::size_t dim);
/// The gradient of what was broadcast from these sizes: sums, if there is something to sum.
Array sum_back(const Array& x, const Sizes& sizes);
/// Of matrices, whose leading dimensions are broadcast.
Array product(const Array& left, const Array& right);
Array copied(const Array& x);
/// In one dimension: a view, or a copy where none is possible.
Array flattened(const Tensor& x);
/// A new array, all of one value.
Array filled_array(double value, const Sizes& sizes, Dtype dtype = float32);

/// What a call of operations has counted, and what a loop has done.
template <typename Call>
Counters cost(const Call& call) {
  const CountScope scope;
  call();
  return scope.counted();
}
template <typename Loop>
Counters loop_cost(const Loop& loop) {
  const Counters before = looped;
  loop();
  return looped - before;
}

/// That a tensor holds the numbers of an array.
void expect_numbers(const Tensor& tensor, const Array& expected);

/// That call(), a tensor, counts what loop(), an array, does, and that both hold the same numbers.
template <typename Call, typename Loop>
void expect_cost(const Call& call, const Loop& loop, const char* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
  const testing::ScopedTrace trace(file, line, "expected here");
  Tensor made;
  const Counters counted_cost = cost([&] { made = call(); });
  const Counters before = looped;
  const Array expected = loop();
  EXPECT_EQ(counted_cost, looped - before);
  expect_numbers(made, expected);
}

}  // namespace lectern::test
