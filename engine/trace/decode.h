#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "trace/trace.h"

namespace lectern {

/// Reads the types of a trace from JSON. Nothing else takes it apart.

using Json = nlohmann::ordered_json;

/// Details of a step, values and renderings may be anything: what does not have the form that the format
/// gives it is kept as unknown. The text is valid JSON.
StepDetails details_from_json(std::string_view text);
Value value_from_json(const Json& json);
Rendering rendering_from_json(const Json& json);

/// On one line; ill-formed UTF-8 becomes U+FFFD.
JsonText to_text(const Json& json);

/// Any JSON as a value: arrays are items, objects fields. For comparing.
Value as_value(const JsonText& json);

/// A record in which something is missing or wrong.
struct BadRecord {
  std::string what;
};

/// A SourceFile, TracedFunction, Site, Stack, TraceEnd or Profile. Throws BadRecord. Members that the type
/// does not have go to its `unknown`, except for `number`, the record's own.
template <HasFields T>
T record_from_json(const Json& json, std::string_view number = {});

}  // namespace lectern
