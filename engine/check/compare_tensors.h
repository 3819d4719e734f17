#pragma once

#include "check/compare_values.h"

namespace lectern {

/// Two tensors (is_tensor holds for both): dtype, shape, strides, device and gradient first, then which
/// memory they share, then their numbers, and of summaries the statistics.
std::optional<ValueDifference> compare_tensors(const Json& old_tensor, const Json& new_tensor,
                                               const std::string& name, const Comparison& comparison);

}  // namespace lectern
