#pragma once

// For lectures that are instrumented by hand: what `lectern instrument` writes, in short.

#include "record/probe.h"

namespace hand {

using lectern::probe::Frame;
using lectern::probe::Function;
using Kind = lectern::SiteKind;
using lectern::probe::Site;
using lectern::probe::Source;

/// Site of line `line`.
constexpr Site at(int function, int line, Kind kind = Kind::statement, bool over = false) {
  return {function, {line, 1, line, 9}, kind, false, over, nullptr};
}

constexpr Function function(const char* name, int line) {
  return {name, {line, 1, line, 9}, nullptr};
}

inline constexpr const char* kLines[] = {"lines of a", "lecture"};

template <int Functions, int Sites>
constexpr Source source(const char* path, const Function (&functions)[Functions],
                        const Site (&sites)[Sites]) {
  return {path, "/nowhere", "cpp", kLines, 2, functions, Functions, sites, Sites, nullptr, 0};
}

}  // namespace hand
