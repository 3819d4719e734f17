#pragma once

#include <string>

#include "trace/trace.h"

namespace lectern {

/// For whom pages are made, and on which day.
struct Audience {
  bool students = false;
  std::string date =
      {};  ///< YYYY-MM-DD: answers that are for students from then on, or from earlier on, are in
};

/// The trace as this audience may have it. Students' has no speaker's notes, and no answers of exercises but
/// those whose day has come: neither what was shown nor, in the sources, the calls of the hooks and the
/// literals that it was made of. Blanks stand in their place.
Trace for_audience(Trace trace, const Audience& audience);

}  // namespace lectern
