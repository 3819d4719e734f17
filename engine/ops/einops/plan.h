#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ops/einops/pattern.h"
#include "tensor/sizes.h"

namespace lectern::einops {

enum class Kind : std::uint8_t { rearrange, reduce, repeat };

/// Sizes of axes, by name.
using AxisSizes = std::map<std::string, std::int64_t, std::less<>>;

/// The steps of a pattern for tensors of one shape, in order.
struct Plan {
  Sizes axes;        ///< first, one dimension per axis of the left side: always a view
  Sizes reduced;     ///< then these dimensions are reduced
  Sizes order;       ///< the remaining ones in the order of the right side
  Sizes unsqueezed;  ///< with new axes of size 1
  Sizes repeated;    ///< and now their own
  Sizes merged;      ///< the dimensions of the right side
};

/// For the context's shape. A TensorError names the axis when the pattern does not suit the operation, when
/// the shape does not fit it, or when sizes are missing or unused.
Plan make_plan(Kind kind, const Context& context, const AxisSizes& given);

}  // namespace lectern::einops
