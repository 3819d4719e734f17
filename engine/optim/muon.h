#pragma once

#include <array>
#include <cstdint>

#include "optim/optimizer.h"

namespace lectern::optim {

struct MuonOptions {
  double lr = 1e-3;
  double weight_decay = 0.1;
  double momentum = 0.95;
  bool nesterov = true;
  double eps = 1e-7;
  std::int64_t ns_steps = 5;
  std::array<double, 3> ns_coefficients = {3.4445, -4.775, 2.0315};
  /// Scales the rate by 0.2 √max(rows, columns), so that updates are about as large as AdamW's (Liu et al.
  /// 2025, "Muon is Scalable for LLM Training"), instead of √max(1, rows / columns). PyTorch's adjust_lr_fn.
  bool match_rms_adamw = false;
  /// The dtype of the orthogonalisation. It needs no more: the singular values only come near 1.
  Dtype ns_dtype = bfloat16;
};

/// Jordan et al. (2024), "Muon: An optimizer for hidden layers in neural networks", as in PyTorch 2.9. For
/// matrices only: other parameters, embeddings and the last layer are for AdamW. In each step, with the
/// gradient g and the coefficients a, b, c:
///
///   m = momentum m + (1 - momentum) g
///   X = m, or with nesterov momentum m + (1 - momentum) g; transposed where it has more rows than columns
///   X = X / max(‖X‖, eps), then ns_steps times X = a X + (b X Xᵀ + c (X Xᵀ)²) X
///   p = p (1 - lr weight_decay) - lr √max(1, rows / columns) X
///
/// The last (Newton-Schulz) steps bring all singular values of the update near 1. m is stored as
/// "momentum_buffer", of the parameter's dtype and shape. Composed of tensor operations, whose costs are
/// counted: for k ≤ n the numbers of rows and columns, products of 4 k² n + 2 k³ operations in each of
/// ns_steps.
///
/// A TensorError for a parameter that is no matrix, for negative lr, weight_decay, momentum or eps, and for
/// ns_steps outside [0, 100).
class Muon : public Optimizer {
 public:
  explicit Muon(const Params& params, const MuonOptions& options = {});

  void step() override;
  using Optimizer::step;

 private:
  void check(const ParamGroup& group) const override;
  std::optional<StateSpecs> state_specs(const ParamGroup& group, const Tensor& parameter) const override;
  Tensor orthogonalized(const Tensor& update, const ParamGroup& group) const;

  std::array<double, 3> ns_coefficients_;
  Dtype ns_dtype_;
};

}  // namespace lectern::optim
