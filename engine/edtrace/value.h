#pragma once

#include <string>
#include <string_view>

#include "edtrace/export.h"
#include "trace/decode.h"

namespace lectern {

/// Reads a variable's value, bare or with its type. It is a tensor if its contents are nested lists of
/// numbers of the shape that it states. Throws Error if it is nested too deeply, or its shape is not one.
Value value_from_edtrace(const Json& json);

/// Writes a value as the JSON that edtrace's viewer shows best: tensors as nested lists, with "…" where a
/// summary leaves elements out; NaN and infinities as strings; references and enumerators as their text.
std::string value_to_edtrace(const Value& value, EdtraceGeneration generation);

/// Whether every value of this dtype fits into a float.
inline bool is_narrow(std::string_view dtype) {
  return dtype == "bfloat16" || (dtype.starts_with("float") && dtype != "float64");
}

/// A value for a reader, on one line: JSON without types.
std::string plain_value_text(const Value& value);

}  // namespace lectern
