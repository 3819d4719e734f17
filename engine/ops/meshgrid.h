#pragma once

#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace lectern {

/// Coordinates: each vector (or tensor without dimensions) repeated along the others' dimensions, as views of
/// one shape, [first's size, second's, …] with "ij" indexing; with "xy" the first two are exchanged. All have
/// one dtype and device. O(1) for each.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, std::string_view indexing = "ij");

}  // namespace lectern
