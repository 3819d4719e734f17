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

/// What a pattern does to tensors of one shape, one step after the other.
struct Plan {
  Sizes apart;     ///< first, a dimension for each axis of the left side: always a view
  Sizes reduced;   ///< then these of them are reduced
  Sizes order;     ///< those left are put in the order of the right side
  Sizes with_new;  ///< where new axes have size 1
  Sizes repeated;  ///< and now their own
  Sizes together;  ///< the dimensions of the right side
};

/// For the shape of the context. A TensorError names the axis when the pattern is none for this kind of
/// operation, when the shape does not fit it, or when sizes are missing or not used.
Plan make_plan(Kind kind, const Context& context, const AxisSizes& given);

}  // namespace lectern::einops
