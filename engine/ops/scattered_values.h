#pragma once

#include <optional>
#include <string_view>

#include "ops/index_access.h"

// Common to the operations that scatter along a dimension.

namespace lectern {

/// What an index scatters: a value for each, and where it goes, in a tensor's storage.
struct ScatteredValues {
  Tensor values;
  ElementOffsets offsets;
};

/// Checked; nothing for an index without elements. The values are a copy where the source shares elements
/// with the tensor.
std::optional<ScatteredValues> scattered_values(std::string_view operation, const Tensor& tensor,
                                                std::int64_t dim, const Tensor& index, const Tensor& source);

}  // namespace lectern
