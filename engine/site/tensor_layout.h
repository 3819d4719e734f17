#pragma once

#include <string>

#include "trace/model.h"

namespace lectern {

bool is_contiguous(const form::Tensor& tensor);

/// Which element of the storage belongs to which index, drawn where the storage is small. HTML.
std::string layout_html(const form::Tensor& tensor);

}  // namespace lectern
