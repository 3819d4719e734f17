#pragma once

#include <string>
#include <string_view>

#include "edtrace/json.h"
#include "trace/decode.h"

namespace lectern {

/// A value of edtrace's environment, bare or with its type, as the JSON text of one of ours
/// (traces/README.md). Tensors are those whose contents have the form that their shape says. Throws Error
/// when a shape is none.
std::string value_from_edtrace(std::string_view json);

/// One of our values as edtrace's viewer shows it best. Tensors are nested lists, of summaries with "…" where
/// numbers are left out; NaN and infinities are strings; references, pointers and enumerators their text.
Json value_to_edtrace(const Json& value, EdtraceGeneration generation);

/// For a reader, in one line: bare JSON.
std::string plain_value_text(const Json& value);

}  // namespace lectern
