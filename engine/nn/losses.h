#pragma once

#include "nn/module.h"
#include "ops/cross_entropy.h"
#include "ops/losses.h"

// Losses as modules: what they compute, their errors and costs are those of the functions (ops/losses.h,
// ops/cross_entropy.h). Weights are buffers, as in PyTorch: part of the state, and moved with the module.

namespace lectern::nn {

/// A loss of two tensors without further options.
template <Tensor (*kFunction)(const Tensor&, const Tensor&, LossReduction)>
class LossOfDifferences : public Module {
 public:
  explicit LossOfDifferences(LossReduction reduction = LossReduction::mean) : reduction_(reduction) {}

  Tensor operator()(const Tensor& x, const Tensor& target) const { return kFunction(x, target, reduction_); }

 private:
  LossReduction reduction_;
};

class MSELoss : public LossOfDifferences<mse_loss> {
  using LossOfDifferences::LossOfDifferences;
};
class L1Loss : public LossOfDifferences<l1_loss> {
  using LossOfDifferences::LossOfDifferences;
};

/// The same with a bound: delta or beta.
template <Tensor (*kFunction)(const Tensor&, const Tensor&, LossReduction, double)>
class LossWithinBound : public Module {
 public:
  explicit LossWithinBound(LossReduction reduction = LossReduction::mean, double bound = 1)
      : reduction_(reduction), bound_(bound) {}

  Tensor operator()(const Tensor& x, const Tensor& target) const {
    return kFunction(x, target, reduction_, bound_);
  }

 private:
  LossReduction reduction_;
  double bound_;
};

class HuberLoss : public LossWithinBound<huber_loss> {
  using LossWithinBound::LossWithinBound;
};
class SmoothL1Loss : public LossWithinBound<smooth_l1_loss> {
  using LossWithinBound::LossWithinBound;
};

class KLDivLoss : public Module {
 public:
  explicit KLDivLoss(KlDivReduction reduction = KlDivReduction::mean, bool log_target = false)
      : reduction_(reduction), log_target_(log_target) {}

  Tensor operator()(const Tensor& x, const Tensor& target) const {
    return kl_div(x, target, reduction_, log_target_);
  }

 private:
  KlDivReduction reduction_;
  bool log_target_;
};

/// A loss of lines of classes.
template <Tensor (*kFunction)(const Tensor&, const Tensor&, const ClassLossOptions&)>
class LossOfClasses : public Module {
 public:
  explicit LossOfClasses(const ClassLossOptions& options = {}) : weight(options.weight), options_(options) {
    LECTERN_REGISTER(weight);
    options_.weight = {};
  }

  Tensor operator()(const Tensor& x, const Tensor& target) const {
    ClassLossOptions options = options_;
    options.weight = weight;
    return kFunction(x, target, options);
  }

  Tensor weight;  ///< one per class, or undefined

 private:
  ClassLossOptions options_;  ///< without the weight
};

/// Of logits and class indices, or the probabilities of the classes.
class CrossEntropyLoss : public LossOfClasses<cross_entropy> {
  using LossOfClasses::LossOfClasses;
};
/// Of log-probabilities and class indices.
class NLLLoss : public LossOfClasses<nll_loss> {
  using LossOfClasses::LossOfClasses;
};

/// Of probabilities.
class BCELoss : public Module {
 public:
  explicit BCELoss(const Tensor& each_weight = {}, LossReduction reduction = LossReduction::mean)
      : weight(each_weight), reduction_(reduction) {
    LECTERN_REGISTER(weight);
  }

  Tensor operator()(const Tensor& x, const Tensor& target) const {
    return binary_cross_entropy(x, target, weight, reduction_);
  }

  Tensor weight;  ///< or undefined

 private:
  LossReduction reduction_;
};

/// Of logits.
class BCEWithLogitsLoss : public Module {
 public:
  explicit BCEWithLogitsLoss(const Tensor& each_weight = {}, LossReduction reduction = LossReduction::mean,
                             const Tensor& weight_of_positives = {})
      : weight(each_weight), pos_weight(weight_of_positives), reduction_(reduction) {
    LECTERN_REGISTER(weight, pos_weight);
  }

  Tensor operator()(const Tensor& x, const Tensor& target) const {
    return binary_cross_entropy_with_logits(x, target, weight, reduction_, pos_weight);
  }

  Tensor weight, pos_weight;  ///< or undefined

 private:
  LossReduction reduction_;
};

}  // namespace lectern::nn
