#pragma once

#include <cmath>

#include "ops/counting_loops.h"

// What loops do with their elements, each function one floating-point operation.

namespace lectern::test {

inline constexpr auto kItself = [](Counted x) { return x; };
inline constexpr auto kPlus = [](Counted a, Counted b) { return a + b; };
inline constexpr auto kMinus = [](Counted a, Counted b) { return a - b; };
inline constexpr auto kTimes = [](Counted a, Counted b) { return a * b; };
inline constexpr auto kDivided = [](Counted a, Counted b) { return a / b; };
inline constexpr auto kLarger = [](Counted a, Counted b) { return max(a, b); };
inline constexpr auto kSmaller = [](Counted a, Counted b) { return counted(std::min(a.value, b.value)); };
inline constexpr auto kNegative = [](Counted x) { return counted(-x.value); };
inline constexpr auto kSquared = [](Counted x) { return x * x; };
inline constexpr auto kExp = [](Counted x) { return exp(x); };
inline constexpr auto kAbs = [](Counted x) { return abs(x); };
inline constexpr auto kRoot = [](Counted x) { return counted(std::sqrt(x.value)); };
inline constexpr auto kSign = [](Counted x) { return counted(x.value > 0 ? 1 : x.value < 0 ? -1 : x.value); };
inline constexpr auto kEqual = [](Counted a, Counted b) { return counted(a.value == b.value ? 1 : 0); };
inline constexpr auto kDiffers = [](Counted a, Counted b) { return counted(a.value != b.value ? 1 : 0); };
inline constexpr auto kAnd = [](Counted a, Counted b) {
  return counted(a.value != 0 && b.value != 0 ? 1 : 0);
};
inline constexpr auto kOr = [](Counted a, Counted b) {
  return counted(a.value != 0 || b.value != 0 ? 1 : 0);
};
inline constexpr auto kNot = [](Counted x) { return counted(x.value == 0 ? 1 : 0); };
inline constexpr auto kIsNan = [](Counted x) { return counted(std::isnan(x.value) ? 1 : 0); };
inline constexpr auto kIsFinite = [](Counted x) { return counted(std::isfinite(x.value) ? 1 : 0); };
inline constexpr auto kChosen = [](Counted condition, Counted a, Counted b) {
  return counted(condition.value != 0 ? a.value : b.value);
};

/// The function with a number that was given, which is in no memory.
inline auto times(double factor) {
  return [factor](Counted x) { return x * Counted{factor}; };
}
inline auto plus(double term) {
  return [term](Counted x) { return x + Counted{term}; };
}
inline auto to_power(double exponent) {
  return [exponent](Counted x) { return counted(std::pow(x.value, exponent)); };
}
inline auto where_true(double value) {
  return [value](Counted condition, Counted x) { return counted(condition.value != 0 ? value : x.value); };
}
inline auto where_false(double value) {
  return [value](Counted condition, Counted x) { return counted(condition.value != 0 ? x.value : value); };
}
inline auto equals(double value) {
  return [value](Counted x) { return counted(x.value == value ? 1 : 0); };
}
inline auto less(double value) {
  return [value](Counted x) { return counted(x.value < value ? 1 : 0); };
}
inline auto greater(double value) {
  return [value](Counted x) { return counted(x.value > value ? 1 : 0); };
}

}  // namespace lectern::test
