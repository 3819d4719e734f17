#pragma once

#include <string>
#include <vector>

#include "trace/decode.h"

namespace lectern {

/// The numbers of a tensor in one notation, so that they stand under each other: with as many digits after
/// the point as all of them need if those are few, else with three significant ones for the largest.
class TensorNumbers {
 public:
  /// JSON numbers, booleans and {"float":…}; others are no numbers.
  explicit TensorNumbers(const std::vector<const Json*>& numbers);

  static bool is_number(const Json& json);
  /// NaN for what is not finite or no number.
  static double finite(const Json& json);

  std::string text(const Json& number) const;
  /// Exactly, where text() is not; else empty.
  std::string exact(const Json& number) const;

 private:
  std::string real_text(double value) const;

  int decimals_ = 0;
  bool scientific_ = false;
};

/// What describes a tensor's numbers; of the finite ones, but for the counts.
struct TensorFigures {
  bool known = false;  ///< there is a finite number
  double min = 0, max = 0, mean = 0, std = 0;
  bool has_std = false;
  std::uint64_t nan = 0, inf = 0;

  static TensorFigures of(const std::vector<const Json*>& numbers);
  /// Of "stats".
  static TensorFigures read(const Json& stats);
};

/// A field of an object that is a number of something; 0 when it is none.
std::uint64_t count_field(const Json& object, const char* name);

/// One of the figures with three significant digits: "-2.66", "1.2e-5".
std::string show_figure(double value);

}  // namespace lectern
