#pragma once

#include "tensor/creation.h"

// Rotary position embedding (Su et al. 2021, "RoFormer"), as Llama's and torchtune's
// RotaryPositionalEmbeddings: neighbouring features are the pairs that turn.

namespace lectern {

/// The cosine and the sine of position · base^(-2 i / dim), for the positions below `max_seq_len` and the
/// pairs i of `dim` features, an even number: [max_seq_len, dim / 2, 2], float32 unless the options say
/// otherwise.
Tensor rotary_table(std::int64_t max_seq_len, std::int64_t dim, double base = 10000,
                    const TensorOptions& options = {});

/// x [batch, time, heads, dim] with each pair of features turned by the angle of its position, which is the
/// place in time or, for a token that is not at the start, `input_pos`: int64, [time] or [batch, time].
/// `table` is rotary_table()'s, for dim features. Computed in float32, or float64 for x of float64, and
/// rounded once. The gradient turns back.
///
/// Counts 3 floating-point operations for each element, and the bytes of x, of the part of the table, of
/// input_pos and of the result; the gradient likewise.
Tensor rotary_embedding(const Tensor& x, const Tensor& table, const Tensor& input_pos = {});

}  // namespace lectern
