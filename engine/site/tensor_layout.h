#pragma once

#include <string>

#include "trace/model.h"

namespace lectern {

bool is_contiguous(const form::Tensor& tensor);

/// Which element of the storage belongs to which index, drawn where the storage is small. HTML.
std::string layout_html(const form::Tensor& tensor);

/// Which bytes of its storage a tensor spans, as attributes of an element: data-from, data-to and, of all,
/// data-bytes; nothing where the trace does not tell.
std::string extent_attributes(const form::Tensor& tensor);

}  // namespace lectern
