// The figures of lecture 2 that are drawn from data.

#pragma once

#include <lectern/lecture.h>

/// The bits of each floating-point format: sign, exponent, mantissa.
lectern::Drawing bit_layouts();

/// A matrix as one sees it, and its storage as it lies in memory.
lectern::Drawing strides_of(const lectern::Tensor& matrix);

/// A weight, and the six floating-point operations that it takes part in for one data
/// point, lit one after the other. It comes to rest by itself, and rests from the
/// start where motion is not wanted.
lectern::Drawing six_steps_of_a_weight();

/// The numbers of a sequence in a row, and below them the rows of a batch, each under
/// the place from where it comes. The numbers are 1, 2, 3, ….
lectern::Drawing windows_of(const lectern::Tensor& data,
                            const lectern::Tensor& batch);
