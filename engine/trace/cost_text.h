#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/cost.h"

namespace lectern {

/// Nanoseconds, with three digits: "1.25 s", "318 µs".
std::string show_duration(std::int64_t ns, std::string_view micro = "\u00B5s");

/// With an SI prefix and three digits: "3.14 TFLOP", "268 M", "42 B".
std::string show_quantity(double count, std::string_view unit = "");

/// "40%"; with one digit more below 1%.
std::string show_share(double share);

/// "608 ms, 6.46 GFLOP, 637 MB moved", leaving out what is 0.
std::string show_cost(const Cost& cost);

}  // namespace lectern
