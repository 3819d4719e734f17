#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/small_float.h"

namespace lectern {

/// The dtypes and their element types.
#define LECTERN_DTYPES(D)         \
  D(float64, double)              \
  D(float32, float)               \
  D(float16, Half)                \
  D(bfloat16, BFloat16)           \
  D(float8_e4m3fn, Float8_e4m3fn) \
  D(float8_e5m2, Float8_e5m2)     \
  D(int64, std::int64_t)          \
  D(int32, std::int32_t)          \
  D(int16, std::int16_t)          \
  D(int8, std::int8_t)            \
  D(uint8, std::uint8_t)          \
  D(bool_, bool)

/// The element type of a tensor, by PyTorch's names, except that bool_ prints as "bool".
enum class Dtype : std::uint8_t {
#define LECTERN_DTYPE(name, Type) name,
  LECTERN_DTYPES(LECTERN_DTYPE)
#undef LECTERN_DTYPE
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
#define LECTERN_DTYPE(name, Type) \
  case name:                      \
    return visit(std::type_identity<Type>{});
    LECTERN_DTYPES(LECTERN_DTYPE)
#undef LECTERN_DTYPE
  }
  __builtin_unreachable();
}

/// The dtype of a C++ type that a tensor can hold.
template <typename T>
inline constexpr Dtype dtype_of = [] { static_assert(sizeof(T) == 0, "no dtype holds this type"); }();
#define LECTERN_DTYPE(name, Type) \
  template <>                     \
  inline constexpr Dtype dtype_of<Type> = name;
LECTERN_DTYPES(LECTERN_DTYPE)
#undef LECTERN_DTYPE
template <>
inline constexpr Dtype dtype_of<long long> = int64;

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

/// The dtype in which elements are computed with: float64, float32 for all other floating-point ones, int64.
constexpr Dtype compute_dtype(Dtype dtype) {
  return dtype == float64 ? float64 : is_floating_point(dtype) ? float32 : int64;
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
///   ResultType().tensor(a.dtype(), a.dim()).scalar(float64).dtype()
class ResultType {
 public:
  ResultType& tensor(Dtype dtype, std::int64_t dimensions);
  /// A C++ scalar (float64, int64 or bool_); a floating-point one counts as float32.
  ResultType& scalar(Dtype dtype);

  /// Needs at least one operand.
  Dtype dtype() const;

 private:
  using Operand = std::optional<Dtype>;
  Operand dimensioned_, zero_dimensional_, scalar_;
};

}  // namespace lectern
