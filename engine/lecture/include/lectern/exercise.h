#pragma once

/// What the starter file of an exercise includes, after other headers: `#include <lectern/exercise.h>`. All
/// of <lectern/lecture.h>, and claims that are for a student to make true. One that fails does not end the
/// run: `lectern build` tells which hold. What a claim throws ends that claim, and what a call in main throws
/// ends that call; main goes on. As in any lecture, the run ends with an exception from elsewhere, a crash,
/// and a claim that fails in a pass that @steps may leave out.
///
/// As plain C++, each claim prints whether it holds, and an exception ends the program.

#include <lectern/lecture.h>

#include "lecture/starter.h"

#undef assert
#define assert(...) ::lectern::claims::tell(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
