// The figures of lecture 2 that are drawn from data.

#pragma once

#include "parts.h"

/// The bits of each floating-point format: sign, exponent, mantissa.
Drawing bit_layouts();

/// A matrix as one sees it, and its storage as it lies in memory.
Drawing strides_of(const Tensor& matrix);

/// The numbers of a sequence in a row, and below them the rows of a batch, each under
/// the place from where it comes. The numbers are 1, 2, 3, ….
Drawing windows_of(const Tensor& data, const Tensor& batch);
