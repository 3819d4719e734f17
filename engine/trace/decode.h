#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "trace/trace.h"

namespace lectern {

/// The types of a trace from JSON: the one place where it is taken apart.

using Json = nlohmann::ordered_json;

/// Details of a step, values and renderings are whatever a file holds: what does not have the form that the
/// format gives it is kept as unknown. The text is valid JSON.
StepDetails details_from_json(std::string_view text);
Value value_from_json(const Json& json);
Rendering rendering_from_json(const Json& json);

/// Any JSON as a value: arrays are items, objects fields. For comparing.
Value as_value(const JsonText& json);

/// A record of which something is missing or wrong.
struct BadRecord {
  std::string what;
};

/// Definitions are to be right: throws BadRecord. Fields that the type does not have are `unknown` then, but
/// for `number`, the record's own.
SourceFile source_from_json(const Json& record);
TracedFunction function_from_json(const Json& record);
Site site_from_json(const Json& record);
Stack stack_from_json(const Json& record);
TraceEnd end_from_json(const Json& record);
Profile profile_from_json(const Json& json);

}  // namespace lectern
