#pragma once

#include <string>

#include "trace/model.h"

namespace lectern {

/// How the finite elements are distributed from the smallest to the largest, as a drawing: of a summary by
/// the trace's counts, else by the elements. Empty for fewer than 24 elements, of truth values, and where all
/// are equal.
std::string histogram_html(const form::Tensor& tensor);

}  // namespace lectern
