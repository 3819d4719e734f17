#pragma once

#include <string>

#include "trace/model.h"

namespace lectern {

/// Tensors of a trace (traces/README.md, "Tensors") as a reader sees them: shape before contents, elements in
/// a grid with shades, figures, and where in the storage they are.

/// For the panel and the text; `with_type`: where the type does not stand beside it.
std::string tensor_html(const form::Tensor& tensor, bool with_type);

std::string storage_html(const form::Storage& storage);

}  // namespace lectern
