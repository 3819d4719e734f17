#include "nn/convolution.h"

#include <algorithm>
#include <cmath>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/pad.h"
#include "ops/windows.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

void check_channels(std::string_view name, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in >= 1 && out >= 1 && groups >= 1 && in % groups == 0 && out % groups == 0) return;
  throw TensorError(name, "in_channels and out_channels",
                    "positive multiples of groups, " + std::to_string(groups),
                    std::to_string(in) + " and " + std::to_string(out));
}

bool are_all(const Sizes& sizes, std::int64_t value) {
  return std::ranges::all_of(sizes, [&](std::int64_t size) { return size == value; });
}

}  // namespace

Conv::Conv(std::string_view name, std::int64_t in_channels, std::int64_t out_channels,
           const Sizes& kernel_size, const ConvOptions& options, std::size_t dims)
    : padding_mode_(options.padding_mode) {
  check_channels(name, in_channels, out_channels, options.groups);
  const Sizes kernel = for_each_dim(name, "kernel_size", kernel_size, dims, 1);
  options_.stride = for_each_dim(name, "stride", options.stride, dims, 1);
  options_.dilation = for_each_dim(name, "dilation", options.dilation, dims, 1);
  options_.groups = options.groups;
  options_.padding = options.padding;
  pads_ = convolution_pads(name, kernel, options_);
  if (padding_mode_ != "zeros" && padding_mode_ != "reflect" && padding_mode_ != "replicate" &&
      padding_mode_ != "circular") {
    throw TensorError(name, "padding_mode", "\"zeros\", \"reflect\", \"replicate\" or \"circular\"",
                      "\"" + padding_mode_ + "\"");
  }
  Sizes sizes{out_channels, in_channels / options.groups};
  for (const std::int64_t size : kernel) sizes.push_back(size);
  const TensorOptions factory{.dtype = options.dtype, .device = options.device};
  weight = Parameter(empty(sizes, factory));
  if (options.bias) bias = Parameter(empty({out_channels}, factory));
  LECTERN_REGISTER(weight, bias);
  init::kaiming_uniform_(weight, {.a = std::sqrt(5.0)});
  const auto fan_in = static_cast<double>(init::calculate_fan_in_and_fan_out(weight).in);
  if (options.bias) init::uniform_(bias, -1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in));
}

Tensor Conv::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return forward(in); });
}

Tensor Conv::forward(const Tensor& x) const {
  const auto convolve = weight.dim() == 3 ? conv1d : conv2d;
  if (padding_mode_ == "zeros") return convolve(x, weight, bias, options_);
  ConvolutionOptions padded = options_;
  padded.padding = "valid";
  return convolve(pad(x, pads_, padding_mode_), weight, bias, padded);
}

std::string Conv::extra_repr() const {
  const auto dims = static_cast<std::size_t>(weight.dim() - 2);
  const Sizes kernel(std::span<const std::int64_t>(weight.sizes()).subspan(2));
  std::string text = std::to_string(in_channels()) + ", " + std::to_string(out_channels()) +
                     ", kernel_size=" + repr(kernel) + ", stride=" + repr(options_.stride);
  const ConvolutionPadding& padding = options_.padding;
  if (!padding.mode.empty()) {
    text += ", padding=" + padding.mode;
  } else if (!are_all(padding.sizes, 0)) {
    text += ", padding=" + repr(for_each_dim("", "padding", padding.sizes, dims, 0));
  }
  if (!are_all(options_.dilation, 1)) text += ", dilation=" + repr(options_.dilation);
  if (options_.groups != 1) text += ", groups=" + std::to_string(options_.groups);
  if (!bias.defined()) text += ", bias=False";
  if (padding_mode_ != "zeros") text += ", padding_mode=" + padding_mode_;
  return text;
}

}  // namespace lectern::nn
