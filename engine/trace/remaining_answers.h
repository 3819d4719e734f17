#pragma once

#include <string>
#include <vector>

#include "trace/audience.h"

namespace lectern {

/// A place where students may still read an answer that for_audience leaves out, and what to do.
struct RemainingAnswer {
  int site;
  std::string problem;
};

/// Of answers of a few characters, which stand anywhere, none is found.
std::vector<RemainingAnswer> remaining_answers(const Trace& trace, const Audience& audience);

}  // namespace lectern
