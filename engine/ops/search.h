#pragma once

#include <optional>
#include <string_view>

#include "tensor/tensor.h"

namespace lectern {

/// For each value, where it would be inserted to keep the order: the place of the first element that is not
/// smaller or, to the `right`, of the first that is larger; `side` "left" or "right" says the same, and may
/// not say the opposite. `sorted` is ascending along its last dimension, and has one dimension, or those of
/// `values` but for the last. int64, or int32 with `out_int32`, of the
/// values' shape; NaN is larger than all numbers. Both are compared in their promoted dtype, not bool.
/// O(log(size)) for each value, and 8 bytes of workspace for each element of both. Counts the bytes of both
/// and of the result.
///
/// With a `sorter`, int64 of its shape, `sorted` is in any order, and ascending when gathered by it, as
/// argsort() gives it.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool out_int32 = false, bool right = false,
                    std::optional<std::string_view> side = {}, const Tensor& sorter = {});
Tensor searchsorted(const Tensor& sorted, const Scalar& value, bool out_int32 = false, bool right = false,
                    std::optional<std::string_view> side = {}, const Tensor& sorter = {});

/// Whether each element is among `test_elements` or, with `invert`, is not: bool, of the elements' shape.
/// Both are compared in their promoted dtype; NaN equals nothing. By sorting the test elements and searching:
/// costs are those of the operations. `assume_unique` changes nothing.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Tensor& elements, const Scalar& test_element, bool assume_unique = false,
            bool invert = false);

}  // namespace lectern
