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

/// A SourceFile, TracedFunction, Site, Stack, TraceEnd or Profile, which are to be right: throws BadRecord.
/// Members that the type does not have are its `unknown`, but for `number`, the record's own.
template <HasFields T>
T record_from_json(const Json& json, std::string_view number = {});

}  // namespace lectern
