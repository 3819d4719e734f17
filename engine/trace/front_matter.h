#pragma once

#include <optional>

#include "trace/trace.h"

namespace lectern {

/// What the lecture says of itself; nothing when it does not. Looks for it, step by step.
std::optional<rendering::Front> front_matter(const Trace& trace);

/// Whether it is not to be published.
bool is_draft(const Trace& trace);

}  // namespace lectern
