#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "nn/module.h"
#include "ops/convolution.h"

namespace lectern::nn {

/// Sizes are one for all dimensions, or one for each (ops/convolution.h).
struct ConvOptions {
  Sizes stride = {1};
  ConvolutionPadding padding = {0};
  Sizes dilation = {1};
  std::int64_t groups = 1;  ///< divides in_channels and out_channels
  bool bias = true;
  std::string padding_mode =
      "zeros";  ///< or "reflect", "replicate", "circular": what is padded with (ops/pad.h)
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// Common to convolutions over one and over two dimensions: [N, in_channels, length…], or without N, becomes
/// [N, out_channels, length…]. Lengths, dtypes, errors and costs are those of conv1d() and conv2d()
/// (ops/convolution.h).
///
/// Weight and bias are initialised uniform in ±1 / √fan-in.
class Conv : public Module {
 public:
  Tensor operator()(const Tensor& x) const;

  std::int64_t in_channels() const { return weight.size(1) * options_.groups; }
  std::int64_t out_channels() const { return weight.size(0); }
  std::string extra_repr() const override;

  Parameter weight;  ///< [out_channels, in_channels / groups, kernel…]
  Parameter bias;    ///< [out_channels], or undefined

 protected:
  Conv(std::string_view name, std::int64_t in_channels, std::int64_t out_channels, const Sizes& kernel_size,
       const ConvOptions& options, std::size_t dims);

 private:
  Tensor forward(const Tensor& x) const;

  ConvolutionOptions options_;
  std::string padding_mode_;
  Sizes pads_ = {};  ///< as pad() takes them, unless with zeros
};

class Conv1d : public Conv {
 public:
  Conv1d(std::int64_t in_channels, std::int64_t out_channels, const Sizes& kernel_size,
         const ConvOptions& options = {})
      : Conv("Conv1d", in_channels, out_channels, kernel_size, options, 1) {}
};

class Conv2d : public Conv {
 public:
  /// `kernel_size` is one size, or height and width.
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, const Sizes& kernel_size,
         const ConvOptions& options = {})
      : Conv("Conv2d", in_channels, out_channels, kernel_size, options, 2) {}
};

}  // namespace lectern::nn
