#pragma once

#include "accounting/transformer.h"

// Memory for the activations that a training step keeps for its backward pass. Pure functions of numbers, for
// calculators too.

namespace lectern::accounting {

/// What the backward pass recomputes instead of keeping it.
enum class Recomputation {
  none,
  attention,  ///< the scores only ("selective"); fused attention does so by itself
  full,       ///< each layer keeps only its input, and is recomputed in the backward pass
};

/// How one model is sharded across devices.
struct ActivationSharding {
  double tensor_parallel = 1;      ///< devices that share each layer's matrices
  bool sequence_parallel = false;  ///< norms and dropouts are sharded along the sequence as well
};

/// Bytes that one layer keeps for `batch` sequences of `time` tokens, in 16-bit precision, with dropout: with
/// s = time, b = batch, a = heads and t devices, s b d (34 + 5 a s / d); without the scores the second term
/// is gone; tensor parallelism divides all but 10 s b d by t, sequence parallelism these too; full
/// recomputation keeps 2 s b d. (Korthikanti et al. 2022, "Reducing activation recomputation in large
/// Transformer models", equations 1 to 4, table 2; for an MLP four times as wide as the model, ungated.)
constexpr double layer_activation_bytes(const Transformer& model, double batch, double time,
                                        Recomputation recomputation = Recomputation::none,
                                        const ActivationSharding& sharding = {}) {
  const double unit = time * batch * model.width, t = sharding.tensor_parallel;
  if (recomputation == Recomputation::full) return 2 * unit;
  const double scores = recomputation == Recomputation::none ? 5 * model.heads * time / model.width : 0;
  const double undivided = sharding.sequence_parallel ? 10 / t : 10;
  return unit * (undivided + 24 / t + scores / t);
}

/// All layers; with full recomputation also the layer that is being recomputed, whose activations exist in
/// full. Embeddings and logits are not included: logits of float32 alone are 4 s b V bytes.
constexpr double activation_bytes(const Transformer& model, double batch, double time,
                                  Recomputation recomputation = Recomputation::none,
                                  const ActivationSharding& sharding = {}) {
  const double kept = model.layers * layer_activation_bytes(model, batch, time, recomputation, sharding);
  if (recomputation != Recomputation::full) return kept;
  return kept + layer_activation_bytes(model, batch, time, Recomputation::none, sharding);
}

/// FLOPs of training with full recomputation, relative to training without it: a second forward pass makes it
/// 4/3.
inline constexpr double kFullRecomputationFlops = 4.0 / 3;

}  // namespace lectern::accounting
