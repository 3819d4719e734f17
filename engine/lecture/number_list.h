#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lectern {

/// Lists of numbers as JSON, in one go: "[1,2,3]".
void append_integers(std::string& out, std::span<const std::int64_t> numbers);

/// "[true,false]", true for all but 0.
void append_truths(std::string& out, std::span<const std::int64_t> numbers);

/// Each the shortest text that reads back as the same double, or as the same float when not `as_double` (they
/// are floats then); NaN and infinities by their form. Stops early, with a list that is not closed, once
/// `out` is longer than `limit`.
void append_reals(std::string& out, std::span<const double> numbers, bool as_double, std::size_t limit);

}  // namespace lectern
