#pragma once

#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// x with more elements at the ends of dimensions. `pads` lists how many come before and after, for the last
/// dimension first: {left, right} or {left, right, top, bottom} …; negative ones take elements away. They
/// are, by `mode`,
///   "constant"    `value`, which the others do not take
///   "reflect"     the elements beside the end, mirrored at the last one; fewer than the dimension has
///   "replicate"   the last one
///   "circular"    those at the other end, after negative pads; no more than there are
/// "reflect" and "replicate" take floating dtypes, of 2 to 5 dimensions, and pad all but the first one or two
/// of these; "circular" takes 3 to 5 dimensions and pads all but the first two. Counts the bytes of x and of
/// the result; the others read the elements and positions of each padded dimension in turn, as index_select()
/// does.
Tensor pad(const Tensor& x, const Sizes& pads, std::string_view mode = "constant", const Scalar& value = 0);

}  // namespace lectern
