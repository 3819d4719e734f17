#pragma once

#include "check/compare_values.h"

namespace lectern {

/// Two values that are tensors: dtype, shape, device, strides and gradient first, then which memory they
/// share, then their elements, and of summaries the statistics.
std::optional<ValueDifference> compare_tensors(const Value& old_value, const Value& new_value,
                                               const std::string& name, const Comparison& comparison);

}  // namespace lectern
