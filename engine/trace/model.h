#pragma once

#include "trace/fields.h"
#include "trace/rendering.h"
#include "trace/value.h"

/// The model's names for all who read traces. What lectures include does not include this: Value, Field and
/// the like are names that a lecture has for things of its own.
namespace lectern {
using namespace trace_model;
}  // namespace lectern
