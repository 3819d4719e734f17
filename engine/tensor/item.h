#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

#include "tensor/scalar.h"

namespace lectern {

/// The only element of a tensor, as Tensor::item() gives it. It becomes what it initialises:
///
///     double loss = l.item();
///     int n = x.item();   // a TensorError when the element is 2.5, or does not fit an int
///     if (x.item() > 0) …
///
/// A double takes an integer only if it is exact (up to 2^53); a float rounds. Arithmetic with it is that of
/// doubles, as with Python's numbers: 7 / 2 is 3.5. Comparisons are exact. Of std's functions, those for
/// doubles take it: std::sqrt(x.item()), but abs(x.item()) without std.
class TensorItem : public Scalar {
 public:
  template <typename T>
  constexpr TensorItem(T value, Dtype element_dtype) : Scalar(value), element_dtype_(element_dtype) {}

  /// The dtype of the tensor: a float32 prints as such.
  constexpr Dtype element_dtype() const { return element_dtype_; }

  template <typename T>
  static constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, char>;

  operator double() const { return to_exact_double(); }
  template <std::integral T>
  requires kIsNumber<T>
  operator T() const {
    if constexpr (std::is_same_v<T, bool>) {
      return to_bool();
    } else {
      if (!is_whole() || !fits<T>(*this)) refuse(std::is_signed_v<T>, 8 * sizeof(T));
      return static_cast<T>(to_int64());
    }
  }

#define LECTERN_ITEM_ARITHMETIC(symbol)                                                        \
  friend double operator symbol(const TensorItem& a, const TensorItem& b) {                    \
    return static_cast<double>(a) symbol static_cast<double>(b);                               \
  }                                                                                            \
  template <typename T>                                                                        \
  requires kIsNumber<T>                                                                        \
  friend double operator symbol(const TensorItem& a, T b) {                                    \
    return static_cast<double>(a) symbol static_cast<double>(b);                               \
  }                                                                                            \
  template <typename T>                                                                        \
  requires kIsNumber<T>                                                                        \
  friend double operator symbol(T a, const TensorItem& b) {                                    \
    return static_cast<double>(a) symbol static_cast<double>(b);                               \
  }                                                                                            \
  template <typename T>                                                                        \
  requires kIsNumber<T>                                                                        \
  friend T& operator symbol##=(T& a, const TensorItem& b) {                                    \
    return a = static_cast<T>(                                                                 \
               a symbol static_cast<std::conditional_t<std::is_integral_v<T>, T, double>>(b)); \
  }
  LECTERN_ITEM_ARITHMETIC(+)
  LECTERN_ITEM_ARITHMETIC(-)
  LECTERN_ITEM_ARITHMETIC(*)
  LECTERN_ITEM_ARITHMETIC(/)
#undef LECTERN_ITEM_ARITHMETIC
  friend double operator-(const TensorItem& a) {
    return -static_cast<double>(a);
  }
  friend double abs(const TensorItem& a) {
    return a < 0 ? -a : static_cast<double>(a);
  }

  friend bool operator==(const TensorItem& a, const TensorItem& b) {
    return std::is_eq(a.compare(b));
  }
  friend std::partial_ordering operator<=>(const TensorItem& a, const TensorItem& b) {
    return a.compare(b);
  }
  template <typename T>
  requires kIsNumber<T>
  friend bool operator==(const TensorItem& a, T b) {
    return std::is_eq(a.compare(b));
  }
  template <typename T>
  requires kIsNumber<T>
  friend std::partial_ordering operator<=>(const TensorItem& a, T b) {
    return a.compare(b);
  }

  /// As a number of its own kind.
  friend std::ostream& operator<<(std::ostream& out, const TensorItem& item);

 private:
  bool is_whole() const;
  double to_exact_double() const;
  std::partial_ordering compare(const Scalar& other) const;
  [[noreturn]] void refuse(bool is_signed, std::size_t bits) const;

  Dtype element_dtype_;
};

}  // namespace lectern
