#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lectern {

/// The maximum number of dimensions of a tensor.
inline constexpr std::size_t kMaxDims = 16;

/// One integer per dimension: sizes, strides (in elements), or dimensions themselves. At most kMaxDims,
/// stored inline: no allocation.
class Sizes {
 public:
  constexpr Sizes() = default;
  constexpr Sizes(std::initializer_list<std::int64_t> values)
      : Sizes(std::span(values.begin(), values.size())) {}
  constexpr Sizes(std::span<const std::int64_t> values) {
    check_room(values.size());
    std::copy(values.begin(), values.end(), values_.begin());
    size_ = values.size();
  }
  /// `count` copies of a value.
  static constexpr Sizes filled(std::size_t count, std::int64_t value) {
    Sizes sizes;
    check_room(count);
    sizes.size_ = count;
    std::fill_n(sizes.values_.begin(), count, value);
    return sizes;
  }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr std::int64_t& operator[](std::size_t i) { return values_[i]; }
  constexpr std::int64_t operator[](std::size_t i) const { return values_[i]; }
  constexpr std::int64_t* begin() { return values_.data(); }
  constexpr std::int64_t* end() { return values_.data() + size_; }
  constexpr const std::int64_t* begin() const { return values_.data(); }
  constexpr const std::int64_t* end() const { return values_.data() + size_; }
  constexpr std::int64_t back() const { return values_[size_ - 1]; }
  constexpr operator std::span<const std::int64_t>() const { return {begin(), size_}; }

  constexpr void push_back(std::int64_t value) {
    check_room(size_ + 1);
    values_[size_++] = value;
  }
  constexpr void insert(std::size_t at, std::int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  constexpr void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  friend constexpr bool operator==(const Sizes& a, const Sizes& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr void check_room(std::size_t size) {
    if (size > kMaxDims) too_many(size);
  }
  [[noreturn]] static void too_many(std::size_t size);

  std::array<std::int64_t, kMaxDims> values_{};
  std::size_t size_ = 0;
};

/// A dimension, where dimensions may be given as a list as well: mean(0) beside mean({0, 1}).
template <typename T>
concept Dimension = std::integral<T> && !std::same_as<T, bool>;

/// Those of `a`, then those of `b`.
Sizes concat(Sizes a, const Sizes& b);

/// "[2, 3]"
std::string to_string(const Sizes& sizes);

/// The product; a TensorError naming `operation` when a size is negative or the product is 2^63 or more.
std::int64_t checked_numel(std::string_view operation, const Sizes& sizes);

/// Row-major strides: the last dimension's is 1. A dimension of size 0 counts as 1, as in PyTorch.
Sizes contiguous_strides(const Sizes& sizes);

/// Whether row-major order visits memory without gaps.
bool is_contiguous(const Sizes& sizes, const Sizes& strides);

/// Whether the elements fill a block of memory without gaps or overlap, in any order of dimensions.
bool is_dense(const Sizes& sizes, const Sizes& strides);
/// One past the last element that the view reaches, in elements; empty on overflow.
std::optional<std::int64_t> extent(const Sizes& sizes, const Sizes& strides, std::int64_t offset = 0);

/// Broadcasting: aligned at the last dimension, sizes must be equal or one of them 1. A TensorError naming
/// `operation` and both shapes otherwise.
Sizes broadcast_sizes(std::string_view operation, const Sizes& a, const Sizes& b);

/// The strides that expand a tensor of `sizes` to the larger size `target`: 0 in repeated dimensions.
Sizes expanded_strides(const Sizes& sizes, const Sizes& strides, const Sizes& target);

/// A negative dimension counts from the end; a TensorError naming `operation` when out of range. `rank` 0
/// accepts -1 and 0.
std::size_t wrap_dim(std::string_view operation, std::int64_t dim, std::size_t rank);

}  // namespace lectern
