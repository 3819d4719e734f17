#pragma once

#include <string>

#include "edtrace/document.h"
#include "edtrace/export.h"
#include "trace/decode.h"

namespace lectern {

/// Reads a variable's value, bare or with its type. It is a tensor if its contents are nested lists of
/// numbers of the shape that it states. Throws Error if it is nested too deeply.
Value value_from_edtrace(JsonElement json);

/// A value as edtrace's viewer shows it best: tensors as nested lists, with "…" where a summary leaves
/// elements out; NaN, infinities and integers beyond 1e12 as strings; references and enumerators as their
/// text. With its type for later viewers, bare for those of 2025.
Json value_to_edtrace(const Value& value, EdtraceGeneration generation);

/// On one line; ill-formed UTF-8 becomes U+FFFD.
inline std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lectern
