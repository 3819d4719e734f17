#include "ops/convolution.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/pad.h"
#include "ops/windows.h"

namespace lectern {
namespace {

/// A convolution over the last dimensions of its input, as its options mean it.
struct Convolution {
  std::string_view operation;
  std::int64_t groups;
  std::vector<Window> windows;  ///< along each dimension
  Sizes pads;                   ///< as pad() takes them
};

void check_dtypes(std::string_view operation, const Tensor& input, const Tensor& other) {
  check_same_device(operation, input, other);
  if (other.dtype() == input.dtype()) return;
  throw TensorError(operation, "the dtypes of input, weight and bias", "the same; convert one with to()",
                    std::string(name(input.dtype())) + " and " + std::string(name(other.dtype())));
}

void check_shapes(std::string_view operation, const Tensor& input, const Tensor& weight, const Tensor& bias,
                  std::int64_t groups, std::int64_t dims) {
  if (groups < 1) throw TensorError(operation, "groups", "at least 1", std::to_string(groups));
  if (weight.dim() != dims + 2 || weight.numel() == 0 || weight.size(0) % groups != 0) {
    throw TensorError(operation, "weight",
                      std::string("not empty, of shape [out, in / groups, ") +
                          (dims == 1 ? "kernel" : "kernel height, kernel width") + "], where " +
                          std::to_string(groups) + " divides out",
                      "of shape " + to_string(weight.sizes()));
  }
  const std::int64_t channels = weight.size(1) * groups;
  if ((input.dim() != dims + 2 && input.dim() != dims + 1) || input.size(-dims - 1) != channels) {
    throw TensorError(operation, "input",
                      "of shape [batch, " + std::to_string(channels) + ", " +
                          (dims == 1 ? "length" : "height, width") + "], or without a batch",
                      "of shape " + to_string(input.sizes()));
  }
  if (bias.defined() && bias.sizes() != Sizes{weight.size(0)}) {
    throw TensorError(operation, "bias", "of shape [" + std::to_string(weight.size(0)) + "]",
                      "of shape " + to_string(bias.sizes()));
  }
}

std::vector<Window> windows_of(std::string_view operation, const Sizes& kernel,
                               const ConvolutionOptions& options) {
  const Sizes strides = for_each_dim(operation, "stride", options.stride, kernel.size(), 1);
  const Sizes dilations = for_each_dim(operation, "dilation", options.dilation, kernel.size(), 1);
  std::vector<Window> windows;
  for (std::size_t i = 0; i < kernel.size(); ++i) windows.push_back({kernel[i], strides[i], dilations[i]});
  return windows;
}

Convolution checked(std::string_view operation, const Tensor& input, const Tensor& weight, const Tensor& bias,
                    const ConvolutionOptions& options, std::size_t dims) {
  check_floating(operation, input.dtype());
  check_dtypes(operation, input, weight);
  if (bias.defined()) check_dtypes(operation, input, bias);
  check_shapes(operation, input, weight, bias, options.groups, static_cast<std::int64_t>(dims));
  const Sizes kernel(std::span<const std::int64_t>(weight.sizes()).subspan(2));
  return {operation, options.groups, windows_of(operation, kernel, options),
          convolution_pads(operation, kernel, options)};
}

/// [N, in, places…, kernel…], a view of the padded input.
Tensor all_windows(const Convolution& convolution, const Tensor& input) {
  const bool pads_any = std::ranges::any_of(convolution.pads, [](std::int64_t size) { return size != 0; });
  Tensor windows = pads_any ? pad(input, convolution.pads) : input;
  std::int64_t dim = 2;
  for (const Window& window : convolution.windows)
    windows = windows_along(convolution.operation, windows, dim++, window);
  return windows;
}

Tensor convolve(const Convolution& convolution, const Tensor& input, const Tensor& weight,
                const Tensor& bias) {
  const auto dims = static_cast<std::int64_t>(convolution.windows.size());
  if (input.dim() == dims + 1) return convolve(convolution, input.unsqueeze(0), weight, bias).squeeze(0);
  const Tensor windows = all_windows(convolution, input);
  const std::int64_t groups = convolution.groups, outputs = weight.size(0) / groups;
  const std::int64_t inner = weight.numel() / weight.size(0);

  // [N, groups, in / groups, places…, kernel…] to the rows of a matrix for each group.
  Sizes to_rows{1, 0}, sums_sizes{groups, input.size(0)}, result{input.size(0), weight.size(0)};
  for (std::int64_t i = 0; i < dims; ++i) {
    to_rows.push_back(3 + i);
    sums_sizes.push_back(windows.size(2 + i));
    result.push_back(windows.size(2 + i));
  }
  to_rows.push_back(2);
  for (std::int64_t i = 0; i < dims; ++i) to_rows.push_back(3 + dims + i);
  sums_sizes.push_back(outputs);
  const std::int64_t places = checked_numel(convolution.operation, result) / weight.size(0);
  const Tensor rows =
      windows.unflatten(1, {groups, weight.size(1)}).permute(to_rows).reshape({groups, places, inner});
  const Tensor columns = weight.reshape({groups, outputs, inner}).mT();
  const Tensor sums =
      bias.defined() ? baddbmm(bias.reshape({groups, 1, outputs}), rows, columns) : matmul(rows, columns);
  // [groups, N, places…, out / groups] to [N, groups, out / groups, places…].
  return sums.view(sums_sizes).movedim({-1, 0}, {2, 1}).reshape(result).contiguous();
}

}  // namespace

Sizes convolution_pads(std::string_view operation, const Sizes& kernel, const ConvolutionOptions& options) {
  const std::vector<Window> windows = windows_of(operation, kernel, options);
  const ConvolutionPadding& padding = options.padding;
  Sizes pads;
  if (padding.mode.empty()) {
    const Sizes ends = for_each_dim(operation, "padding", padding.sizes, windows.size(), 0);
    for (std::size_t i = windows.size(); i-- > 0;) pads.push_back(ends[i]), pads.push_back(ends[i]);
    return pads;
  }
  if (padding.mode != "valid" && padding.mode != "same")
    throw TensorError(operation, "padding", "sizes, \"valid\" or \"same\"", "\"" + padding.mode + "\"");
  for (std::size_t i = windows.size(); i-- > 0;) {
    if (padding.mode == "same" && windows[i].stride != 1)
      throw TensorError(operation, "stride", "1 with the padding \"same\"",
                        std::to_string(windows[i].stride));
    const std::int64_t both = padding.mode == "same" ? windows[i].extent() - 1 : 0;
    pads.push_back(both / 2);
    pads.push_back(both - both / 2);
  }
  return pads;
}

Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvolutionOptions& options) {
  if (autocasts(input))
    return autocast([&](const auto&... in) { return conv1d(in..., options); }, input, weight, bias);
  return convolve(checked("conv1d", input, weight, bias, options, 1), input, weight, bias);
}

Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
              const ConvolutionOptions& options) {
  if (autocasts(input))
    return autocast([&](const auto&... in) { return conv2d(in..., options); }, input, weight, bias);
  return convolve(checked("conv2d", input, weight, bias, options, 2), input, weight, bias);
}

}  // namespace lectern
