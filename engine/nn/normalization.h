#pragma once

#include <cstdint>
#include <optional>

#include "nn/module.h"

namespace lectern::nn {

struct LayerNormOptions {
  double eps = 1e-5;
  bool elementwise_affine = true;     ///< with weight and bias
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// (x - mean) / √(variance + eps) · weight + bias over the last dimensions, of sizes normalized_shape. Errors
/// and costs are those of layer_norm() (ops/layer_norm.h).
///
/// The weight is initialised with ones, the bias with zeros.
class LayerNorm : public Module {
 public:
  explicit LayerNorm(const Sizes& normalized_shape, const LayerNormOptions& options = {});
  /// Over the last dimension.
  explicit LayerNorm(std::int64_t size, const LayerNormOptions& options = {})
      : LayerNorm(Sizes{size}, options) {}

  Tensor operator()(const Tensor& x) const;

  const Sizes& normalized_shape() const { return normalized_shape_; }
  double eps() const { return eps_; }
  std::string extra_repr() const override;

  Parameter weight;  ///< of the normalized shape, or undefined
  Parameter bias;    ///< likewise

 private:
  Sizes normalized_shape_;
  double eps_;
};

struct RMSNormOptions {
  std::optional<double> eps = {};     ///< the machine epsilon of x's dtype
  bool elementwise_affine = true;     ///< with a weight
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// x / √(mean of x² + eps) · weight, likewise. (torch.nn.RMSNorm, since 2.4.)
class RMSNorm : public Module {
 public:
  explicit RMSNorm(const Sizes& normalized_shape, const RMSNormOptions& options = {});
  explicit RMSNorm(std::int64_t size, const RMSNormOptions& options = {}) : RMSNorm(Sizes{size}, options) {}

  Tensor operator()(const Tensor& x) const;

  const Sizes& normalized_shape() const { return normalized_shape_; }
  std::optional<double> eps() const { return eps_; }
  std::string extra_repr() const override;

  Parameter weight;  ///< of the normalized shape, or undefined

 private:
  Sizes normalized_shape_;
  std::optional<double> eps_;
};

}  // namespace lectern::nn
