#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// For whom pages are made, and on which day.
struct Audience {
  bool students = false;
  std::string date = {};  ///< YYYY-MM-DD: answers whose day is this or an earlier one are shown
};

/// The trace as this audience may see it. Students see no speaker's notes, and answers of exercises only once
/// their day has come: what was shown is left out, and in the sources blanks replace the calls of the hooks
/// and the literals that it came from.
Trace for_audience(Trace trace, const Audience& audience);

}  // namespace lectern
