#pragma once

#include <string>
#include <string_view>

#include "edtrace/export.h"
#include "trace/decode.h"

namespace lectern {

/// A value of edtrace's environment, bare or with its type (edtrace/document.h reads it). Tensors are those
/// whose contents have the form that their shape says. Throws Error when it is nested too deeply, or its
/// shape is none.
Value value_from_edtrace(const Json& json);

/// A value as the JSON that edtrace's viewer shows best. Tensors are nested lists, of summaries with "…"
/// where elements are left out; NaN and infinities are strings; references, pointers and enumerators their
/// text.
std::string value_to_edtrace(const Value& value, EdtraceGeneration generation);

/// Whether each element of this dtype is a float too.
inline bool is_narrow(std::string_view dtype) {
  return dtype == "bfloat16" || (dtype.starts_with("float") && dtype != "float64");
}

/// For a reader, in one line: bare JSON.
std::string plain_value_text(const Value& value);

}  // namespace lectern
