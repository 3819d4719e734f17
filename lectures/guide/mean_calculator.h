// How much a mean says, for readers to try.

#pragma once

#include <cmath>
#include <cstdint>

#include <lectern/calculator.h>

/// The standard deviation of the mean of `count` independent numbers: σ /
/// √n.
inline double standard_error(double deviation, double count) {
  return deviation / std::sqrt(count);
}

inline lectern::CalculatorResult error_of_a_mean(double deviation,
                                                 std::int64_t count) {
  lectern::CalculatorResult out;
  out.expect("deviation", deviation, 0, 1e9);
  out.expect("count", static_cast<double>(count), 1, 1e12);
  if (out.refused()) return out;
  const double error =
      standard_error(deviation, static_cast<double>(count));
  out.show("Standard error, σ / √n", lectern::rounded_number(error),
           error);
  out.show("Within it in two of three samples",
           "± " + lectern::rounded_number(error), error);
  out.show("Numbers for half of it",
           lectern::rounded_number(4.0 * static_cast<double>(count)),
           4.0 * static_cast<double>(count));
  return out;
}
LECTERN_CALCULATOR(error_of_a_mean, deviation, count);
