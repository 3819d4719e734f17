#pragma once

#include <cstdint>
#include <optional>

#include "nn/module.h"

namespace lectern::nn {

struct GroupNormOptions {
  double eps = 1e-5;
  bool affine = true;                 ///< with weight and bias
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// Wu, He (2018), "Group Normalization": the channels, dimension 1 of x [N, C, …], form num_groups groups,
/// each of which is normalised with all that follows, (x - mean) / √(variance + eps) · weight + bias. One
/// group is a layer's norm, C groups are an instance's. The weight is initialised with ones, the bias with
/// zeros.
///
/// group_norm() of ops/channel_norm.h, with its cost. A TensorError unless the groups divide the channels,
/// and for an x of other channels.
class GroupNorm : public Module {
 public:
  GroupNorm(std::int64_t num_groups, std::int64_t num_channels, const GroupNormOptions& options = {});

  Tensor operator()(const Tensor& x) const;

  std::int64_t num_groups() const { return num_groups_; }
  std::int64_t num_channels() const { return num_channels_; }
  double eps() const { return eps_; }
  std::string extra_repr() const override;

  Parameter weight;  ///< [num_channels], or undefined
  Parameter bias;    ///< likewise

 private:
  Tensor forward(const Tensor& x) const;

  std::int64_t num_groups_, num_channels_;
  double eps_;
};

}  // namespace lectern::nn
