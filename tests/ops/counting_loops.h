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
  static Array like(const Tensor& like) { return {like.sizes(), like.element_size()}; }
  static Array made(const Sizes& sizes) { return {sizes, 4}; }
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
  Array viewed(const Sizes& sizes) const;
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

/// The same to a new array.
template <typename Function, typename... Arrays>
Array each(const Function& function, const Arrays&... in) {
  Sizes sizes;
  ((sizes = broadcast_sizes("each", sizes, in.sizes())), ...);
  const Array out = Array::made(sizes);
  each_into(out, function, in...);
  return out;
}

/// The index without its place `dim`, and with a new one.
Sizes without(Sizes index, std::size_t dim);
Sizes with(Sizes index, std::size_t dim, std::int64_t at);

/// A new array: the elements along `dim` put together by combine(state, element), from `start` on.
template <typename Combine>
Array folded(const Array& x, std::size_t dim, Counted start, const Combine& combine) {
  const Array in = x.again(), out = Array::made(without(x.sizes(), dim));
  for_each_index(out.sizes(), [&](const Sizes& index) {
    Counted state = start;
    for (std::int64_t i = 0; i < x.sizes()[dim]; ++i) state = combine(state, in[with(index, dim, i)]);
    out.set(index, state);
  });
  return out;
}
Array sum_along(const Array& x, std::size_t dim);
/// Of two matrices.
Array product(const Array& left, const Array& right);
Array copied(const Array& x);

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
void expect_cost(const Call& call, const Loop& loop) {
  Tensor made;
  const Counters counted_cost = cost([&] { made = call(); });
  const Counters before = looped;
  const Array expected = loop();
  EXPECT_EQ(counted_cost, looped - before);
  expect_numbers(made, expected);
}

}  // namespace lectern::test
