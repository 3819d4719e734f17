#pragma once

#include <cstdint>

#include "kernels/convolution.h"

namespace lectern::test {

/// Of square pictures and windows of 3 × 3 with as much padding as keeps their size.
inline kernels::ConvolutionSizes picture_sizes(std::int64_t batch, std::int64_t in, std::int64_t out,
                                               std::int64_t side) {
  return {.dims = 2,
          .batch = batch,
          .groups = 1,
          .in_channels = in,
          .out_channels = out,
          .input = {side, side},
          .kernel = {3, 3},
          .output = {side, side},
          .stride = {1, 1},
          .dilation = {1, 1},
          .padding_before = {1, 1},
          .padding_after = {1, 1}};
}

}  // namespace lectern::test
