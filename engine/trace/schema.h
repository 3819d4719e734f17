#pragma once

#include <string>

namespace lectern {

/// The JSON Schema (2020-12) of the format, as the types of the model say it.
/// traces/lectern-trace-1.schema.json is this text; `lectern schema` prints it.
std::string trace_schema();

}  // namespace lectern
