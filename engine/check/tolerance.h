#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// How far apart two numbers may be and still count as the same one: |new - old| <= abs + rel · |old|. NaN is
/// the same as NaN, an infinity as the one of its sign, +0 as -0.
struct Tolerance {
  double rel = 0, abs = 0;
};

/// Whether two numbers are the same within a tolerance.
bool is_close(double old_number, double new_number, const Tolerance& tolerance);

/// The tolerance of a dtype, or of the numbers in a C++ type ("std::vector<float>"): that of
/// torch.testing.assert_close.
///   float64, double            rel 1e-7    abs 1e-7
///   float32, float             rel 1.3e-6  abs 1e-5   (also where the type does not say)
///   float16                    rel 1e-3    abs 1e-5
///   bfloat16                   rel 1.6e-2  abs 1e-5
///   float8_e4m3fn              rel 0.125   abs 2^-9   (one step of the format)
///   float8_e5m2                rel 0.25    abs 2^-16
/// Integers are always exact.
Tolerance default_tolerance(std::string_view type);

/// The tolerances in force at a statement.
struct Tolerances {
  std::optional<double> rel = {}, abs = {};  ///< instead of every type's own
  /// The statement's @tol, which takes precedence; null: none.
  const std::vector<SiteTolerance>* site = nullptr;

  /// For a value of that name and type.
  Tolerance find(std::string_view name, std::string_view type) const;
  /// Whether @tol covers all that the statement shows, including its text.
  bool covers_all() const;
};

}  // namespace lectern
