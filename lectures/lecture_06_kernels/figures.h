// The figures of lecture 6 that are drawn from data.

#pragma once

#include "parts.h"

/// For each stride, the sectors that a warp's load of floats touches; what lanes ask for is dark.
Drawing sectors_of_strides(const std::vector<int64_t>& strides);

/// A tile of side × side words coloured by bank, without padding and with.
Drawing banks_of_tile(int side);

/// A matrix with, in each cell, the lane that holds it.
Drawing lanes_of_result(const std::vector<std::vector<int>>& lanes);
