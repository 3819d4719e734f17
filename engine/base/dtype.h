#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/float8.h"
#include "base/half.h"

namespace lectern {

/// The element type of a tensor, by PyTorch's names, except that bool_ prints as "bool".
enum class Dtype : std::uint8_t {
  float64,
  float32,
  float16,
  bfloat16,
  float8_e4m3fn,
  float8_e5m2,
  int64,
  int32,
  int16,
  int8,
  uint8,
  bool_,
};
using enum Dtype;  // lectern::float32 and so on

inline constexpr int kDtypes = 12;

/// Each category can hold the ones before it.
enum class DtypeCategory : std::uint8_t { boolean, integral, floating };

/// Calls visit(std::type_identity<T>{}) with the element type of `dtype`:
///   dispatch(dtype, [&](auto tag) { using T = typename decltype(tag)::type; … });
/// Compiles `visit` twelve times: keep it small.
template <typename Visit>
constexpr decltype(auto) dispatch(Dtype dtype, Visit&& visit) {
  switch (dtype) {
    case float64:
      return visit(std::type_identity<double>{});
    case float32:
      return visit(std::type_identity<float>{});
    case float16:
      return visit(std::type_identity<Half>{});
    case bfloat16:
      return visit(std::type_identity<BFloat16>{});
    case float8_e4m3fn:
      return visit(std::type_identity<Float8_e4m3fn>{});
    case float8_e5m2:
      return visit(std::type_identity<Float8_e5m2>{});
    case int64:
      return visit(std::type_identity<std::int64_t>{});
    case int32:
      return visit(std::type_identity<std::int32_t>{});
    case int16:
      return visit(std::type_identity<std::int16_t>{});
    case int8:
      return visit(std::type_identity<std::int8_t>{});
    case uint8:
      return visit(std::type_identity<std::uint8_t>{});
    case bool_:
      return visit(std::type_identity<bool>{});
  }
  __builtin_unreachable();
}

/// The dtype of a C++ type that a tensor can hold.
template <typename T>
inline constexpr Dtype dtype_of = [] { static_assert(sizeof(T) == 0, "no dtype holds this type"); }();
template <>
inline constexpr Dtype dtype_of<double> = float64;
template <>
inline constexpr Dtype dtype_of<float> = float32;
template <>
inline constexpr Dtype dtype_of<Half> = float16;
template <>
inline constexpr Dtype dtype_of<BFloat16> = bfloat16;
template <>
inline constexpr Dtype dtype_of<Float8_e4m3fn> = float8_e4m3fn;
template <>
inline constexpr Dtype dtype_of<Float8_e5m2> = float8_e5m2;
template <>
inline constexpr Dtype dtype_of<long> = int64;
template <>
inline constexpr Dtype dtype_of<long long> = int64;
template <>
inline constexpr Dtype dtype_of<int> = int32;
template <>
inline constexpr Dtype dtype_of<short> = int16;
template <>
inline constexpr Dtype dtype_of<signed char> = int8;
template <>
inline constexpr Dtype dtype_of<unsigned char> = uint8;
template <>
inline constexpr Dtype dtype_of<bool> = bool_;

/// In bytes.
constexpr std::int64_t element_size(Dtype dtype) {
  constexpr std::uint8_t kSizes[kDtypes] = {8, 4, 2, 2, 1, 1, 8, 4, 2, 1, 1, 1};
  return kSizes[static_cast<int>(dtype)];
}

constexpr DtypeCategory category(Dtype dtype) {
  if (dtype == bool_) return DtypeCategory::boolean;
  return dtype < int64 ? DtypeCategory::floating : DtypeCategory::integral;
}

constexpr bool is_floating_point(Dtype dtype) {
  return category(dtype) == DtypeCategory::floating;
}

constexpr bool is_float8(Dtype dtype) {
  return dtype == float8_e4m3fn || dtype == float8_e5m2;
}

/// Whether an operation whose result has dtype `from` may write it into a tensor of dtype `to`: not from
/// floating point to integers, and only from bool to bool.
constexpr bool can_cast(Dtype from, Dtype to) {
  return category(from) <= category(to);
}

/// "float32", "bool": PyTorch's name without "torch.".
std::string_view name(Dtype dtype);
std::ostream& operator<<(std::ostream& out, Dtype dtype);

/// The dtype of this name, if any.
std::optional<Dtype> dtype_from_name(std::string_view text);

/// The smallest dtype that both convert to, as in PyTorch: the higher category decides; int8 with uint8 gives
/// int16, float16 with bfloat16 gives float32. The float8 types promote only with themselves: a TensorError
/// names both.
Dtype promote_types(Dtype a, Dtype b);

/// The dtype in which an operation computes, from its operands: tensors with dimensions decide; tensors
/// without, and after them scalars, take part only if their category is higher. As in PyTorch:
///   ResultType().tensor(a.dtype(), a.dim()).number(float64).dtype()
class ResultType {
 public:
  ResultType& tensor(Dtype dtype, std::int64_t dimensions);
  /// A C++ scalar (float64, int64 or bool_); a floating-point one counts as float32.
  ResultType& number(Dtype dtype);

  /// Needs at least one operand.
  Dtype dtype() const;

 private:
  using Operand = std::optional<Dtype>;
  Operand dimensioned_, zero_dimensional_, number_;
};

}  // namespace lectern
