#pragma once

#include <cstdint>
#include <optional>

#include "nn/module.h"

namespace lectern::nn {

struct LinearOptions {
  bool bias = true;
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// x · weightᵀ + bias: […, in_features] becomes […, out_features]. Dtypes, errors and costs are those of
/// linear() (ops/linear.h).
///
/// Weight and bias are initialised uniform in ±1 / √in_features.
class Linear : public Module {
 public:
  /// A TensorError for a negative number of features.
  Linear(std::int64_t in_features, std::int64_t out_features, const LinearOptions& options = {});
  /// Shares existing parameters. A TensorError when the weight is not a matrix, or the bias, if any, does not
  /// have out_features elements.
  explicit Linear(const Parameter& weight, const Parameter& bias = {});

  Tensor operator()(const Tensor& x) const;

  std::int64_t in_features() const { return weight.size(1); }
  std::int64_t out_features() const { return weight.size(0); }
  std::string extra_repr() const override;

  Parameter weight;  ///< [out_features, in_features]
  Parameter bias;    ///< [out_features], or undefined
};

}  // namespace lectern::nn
