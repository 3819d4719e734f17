#pragma once

// What kernels that are compiled at run time use of the standard library, which NVRTC does not have: it is
// <concepts>, <cstdint>, <cmath>, <limits> and <type_traits> there.

/// NVRTC knows it by this name alone.
#define __builtin_memcpy memcpy

namespace std {

using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
using size_t = unsigned long;
enum class byte : unsigned char {};

template <typename T, typename U>
inline constexpr bool is_same_v = false;
template <typename T>
inline constexpr bool is_same_v<T, T> = true;

template <typename T>
inline constexpr bool is_integral_v = false;
template <typename T>
inline constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, double>;

template <typename T>
inline constexpr bool is_arithmetic_v = is_integral_v<T> || is_floating_point_v<T>;
template <typename Base, typename Derived>
inline constexpr bool is_base_of_v = __is_base_of(Base, Derived);
template <typename T>
inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);

template <typename T, typename U>
concept same_as = is_same_v<T, U>;
template <typename T>
concept integral = is_integral_v<T>;
template <typename T>
concept floating_point = is_floating_point_v<T>;

template <bool condition, typename Then, typename Else>
struct conditional {
  using type = Then;
};
template <typename Then, typename Else>
struct conditional<false, Then, Else> {
  using type = Else;
};
template <bool condition, typename Then, typename Else>
using conditional_t = typename conditional<condition, Then, Else>::type;

template <typename T>
struct numeric_limits;

/// Of a type of so many bits and its unsigned form.
template <typename T, typename Unsigned>
struct integer_limits {
  static constexpr bool is_signed = T(-1) < T(0);
  static constexpr T max() { return static_cast<T>(is_signed ? Unsigned(-1) >> 1 : Unsigned(-1)); }
  static constexpr T min() { return static_cast<T>(is_signed ? ~max() : 0); }
  static constexpr T lowest() { return min(); }
};

#define LECTERN_INTEGER(Type, Unsigned)             \
  template <>                                       \
  inline constexpr bool is_integral_v<Type> = true; \
  template <>                                       \
  struct numeric_limits<Type> : integer_limits<Type, Unsigned> {};
LECTERN_INTEGER(bool, bool)
LECTERN_INTEGER(signed char, unsigned char)
LECTERN_INTEGER(unsigned char, unsigned char)
LECTERN_INTEGER(short, unsigned short)
LECTERN_INTEGER(unsigned short, unsigned short)
LECTERN_INTEGER(int, unsigned int)
LECTERN_INTEGER(unsigned int, unsigned int)
LECTERN_INTEGER(long, unsigned long)
LECTERN_INTEGER(unsigned long, unsigned long)
LECTERN_INTEGER(long long, unsigned long long)
LECTERN_INTEGER(unsigned long long, unsigned long long)
#undef LECTERN_INTEGER

template <>
struct numeric_limits<float> {
  static constexpr float min() noexcept { return 0x1p-126F; }
  static constexpr float max() noexcept { return 0x1.fffffep127F; }
  static constexpr float lowest() noexcept { return -max(); }
  static constexpr float infinity() noexcept { return __builtin_bit_cast(float, 0x7F800000U); }
  static constexpr float quiet_NaN() noexcept { return __builtin_bit_cast(float, 0x7FC00000U); }
};
template <>
struct numeric_limits<double> {
  static constexpr double min() noexcept { return 0x1p-1022; }
  static constexpr double max() noexcept { return 0x1.fffffffffffffp1023; }
  static constexpr double lowest() noexcept { return -max(); }
  static constexpr double infinity() noexcept { return __builtin_bit_cast(double, 0x7FF0000000000000UL); }
  static constexpr double quiet_NaN() noexcept { return __builtin_bit_cast(double, 0x7FF8000000000000UL); }
};

}  // namespace std
