#pragma once

/// Everything that a lecture program uses: `#include <lectern/lecture.h>`.

#include <cassert>

#include "lecture/code_link.h"
#include "lecture/format.h"
#include "lecture/hooks.h"
#include "lecture/stack.h"
#include "record/inspect.h"

// POSIX has a link, too, and the standard library's headers bring it in: link("url", "label") would call it
// without a word. An instrumented lecture never does; a plain one is warned.
extern "C" [[deprecated("this is POSIX's link; write lectern::link")]] int link(const char* from,
                                                                                const char* to) noexcept;
