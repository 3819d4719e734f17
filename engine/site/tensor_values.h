#pragma once

#include <string>

#include "trace/decode.h"

namespace lectern {

/// Tensors of a trace (traces/README.md, "Tensors") as a reader sees them: shape before contents, numbers in
/// a grid with shades, figures, and where in the storage they are.

/// Whether a value is a tensor, or a storage alone.
bool is_tensor(const Json& value);
bool is_storage(const Json& value);

/// "float32 [2, 3]", and the device unless it is the CPU.
std::string tensor_type(const Json& value);

/// The type, and the numbers of a short vector; of a tensor without dimensions the number alone.
std::string tensor_text(const Json& value);

/// For the panel and the text; `with_type`: where the type does not stand beside it.
std::string tensor_html(const Json& value, bool with_type);

std::string storage_html(const Json& value);

}  // namespace lectern
