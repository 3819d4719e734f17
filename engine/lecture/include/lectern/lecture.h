#pragma once

/// Everything that a lecture program uses: `#include <lectern/lecture.h>`. With it come assert, fmt::format
/// and the headers of the standard library that most lectures need.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "lecture/autograd_graph.h"
#include "lecture/calculators.h"
#include "lecture/code_link.h"
#include "lecture/error_of.h"
#include "lecture/format.h"
#include "lecture/hooks.h"
#include "lecture/plots.h"
#include "lecture/stack.h"
#include "lecture/table.h"
#include "record/inspect.h"

// POSIX has a function link, too, and the standard library's headers declare it: link("url", "label") would
// call it silently. An instrumented lecture never does; a plain one gets a warning.
extern "C" [[deprecated("this is POSIX's link; write lectern::link")]] int link(const char* from,
                                                                                const char* to) noexcept;
