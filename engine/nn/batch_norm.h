#pragma once

#include <cstdint>
#include <optional>

#include "nn/module.h"

namespace lectern::nn {

struct BatchNormOptions {
  double eps = 1e-5;
  /// The share of a batch in the running statistics; nullopt: they are the averages of all batches.
  std::optional<double> momentum = 0.1;
  bool affine = true;                 ///< with weight and bias
  bool track_running_stats = true;    ///< else a batch's own statistics are used in evaluation, too
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// Ioffe, Szegedy (2015), "Batch Normalization": (x - mean) / √(variance + eps) · weight + bias for each
/// channel, dimension 1 of x. In training mean and (biased) variance are the batch's, over all other
/// dimensions, and the running ones go towards them by `momentum` (towards the unbiased variance); in
/// evaluation the running ones are used. The weight is initialised with ones, the bias with zeros.
///
/// batch_norm() of ops/channel_norm.h, with its cost and errors; a TensorError also for an x of another
/// shape. A batch of nothing leaves the running mean and variance as they are.
class BatchNorm : public Module {
 public:
  Tensor operator()(const Tensor& x) const;

  std::int64_t num_features() const { return num_features_; }
  double eps() const { return eps_; }
  std::optional<double> momentum() const { return momentum_; }
  /// Forgets all batches.
  void reset_running_stats() const;
  std::string extra_repr() const override;

  Parameter weight;            ///< [num_features], or undefined
  Parameter bias;              ///< likewise
  Tensor running_mean;         ///< buffers, likewise, initially 0
  Tensor running_var;          ///< initially 1
  Tensor num_batches_tracked;  ///< one int64

 protected:
  BatchNorm(std::int64_t num_features, const BatchNormOptions& options, std::int64_t least_dims,
            std::int64_t most_dims);

 private:
  void check_input(const Tensor& x) const;
  Tensor forward(const Tensor& x) const;

  std::int64_t num_features_;
  double eps_;
  std::optional<double> momentum_;
  std::int64_t least_dims_, most_dims_;
};

/// x is [N, C] or [N, C, L].
class BatchNorm1d : public BatchNorm {
 public:
  explicit BatchNorm1d(std::int64_t num_features, const BatchNormOptions& options = {})
      : BatchNorm(num_features, options, 2, 3) {}
};

/// x is [N, C, H, W].
class BatchNorm2d : public BatchNorm {
 public:
  explicit BatchNorm2d(std::int64_t num_features, const BatchNormOptions& options = {})
      : BatchNorm(num_features, options, 4, 4) {}
};

}  // namespace lectern::nn
