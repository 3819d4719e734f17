#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// Lines [first, last] of a source that the page keeps together: a function, a class, or declarations; of the
/// outermost function, a call, or what stands between the calls.
struct PagePart {
  int source = 0;
  int first = 0, last = 0;
  int head = 0,
      head_end = 0;      ///< the lines that name it: without the comments above, with template parameters
  bool entered = false;  ///< a statement in it ran
  bool call = false;     ///< its one statement is a call of the outermost function
};

/// All lines of all sources in the order of the run: each function and class where the run first entered it.
/// What was never entered stands before what follows it in its file, or after the last that was entered; what
/// opens a file, such as includes, before the first of the file. No other function or class stands above
/// where the run begins. Files never entered come last. The outermost function is divided: what it calls
/// stands between its calls.
std::vector<PagePart> page_parts(const Trace& trace);

}  // namespace lectern
