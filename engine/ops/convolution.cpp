#include "ops/convolution.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/convolution.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/convolution_composed.h"
#include "ops/devices.h"
#include "ops/reductions.h"
#include "ops/windows.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

void check_convolution_dtypes(std::string_view operation, const Tensor& input, const Tensor& other) {
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
  const auto has_length_0 = [&] {
    return std::find(input.sizes().end() - dims, input.sizes().end(), 0) != input.sizes().end();
  };
  if ((input.dim() != dims + 2 && input.dim() != dims + 1) || input.size(-dims - 1) != channels ||
      has_length_0()) {
    throw TensorError(operation, "input",
                      "of shape [batch, " + std::to_string(channels) + ", " +
                          (dims == 1 ? "length" : "height, width") + "], or without a batch, no length 0",
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
  if (input.is_cuda() || input.dtype() == bool_) check_floating(operation, input.dtype());
  check_convolution_dtypes(operation, input, weight);
  if (bias.defined()) check_convolution_dtypes(operation, input, bias);
  check_shapes(operation, input, weight, bias, options.groups, static_cast<std::int64_t>(dims));
  const Sizes kernel(std::span<const std::int64_t>(weight.sizes()).subspan(2));
  return {operation, options.groups, windows_of(operation, kernel, options),
          convolution_pads(operation, kernel, options)};
}

kernels::ConvolutionSizes kernel_sizes(const Convolution& convolution, const Tensor& input,
                                       const Tensor& weight, const Sizes& result) {
  const std::size_t dims = convolution.windows.size();
  kernels::ConvolutionSizes sizes{.dims = dims,
                                  .batch = input.size(0),
                                  .groups = convolution.groups,
                                  .in_channels = input.size(1),
                                  .out_channels = weight.size(0),
                                  .input = {},
                                  .kernel = {},
                                  .output = {},
                                  .stride = {},
                                  .dilation = {},
                                  .padding_before = {},
                                  .padding_after = {}};
  for (std::size_t i = 0; i < dims; ++i) {
    const Window& window = convolution.windows[i];
    sizes.input[i] = input.sizes()[i + 2];
    sizes.kernel[i] = window.size;
    sizes.output[i] = result[i + 2];
    sizes.stride[i] = window.stride;
    sizes.dilation[i] = window.dilation;
    sizes.padding_before[i] = convolution.pads[2 * (dims - 1 - i)];
    sizes.padding_after[i] = convolution.pads[2 * (dims - 1 - i) + 1];
  }
  return sizes;
}

/// [N, out, places…]
Sizes result_sizes(const Convolution& convolution, const Tensor& input, const Tensor& weight) {
  const std::size_t dims = convolution.windows.size();
  Sizes result{input.size(0), weight.size(0)};
  for (std::size_t i = 0; i < dims; ++i) {
    const std::size_t at = 2 * (dims - 1 - i);
    const std::int64_t padded = input.sizes()[i + 2] + convolution.pads[at] + convolution.pads[at + 1];
    check_window(convolution.operation, convolution.windows[i], padded);
    result.push_back(convolution.windows[i].count(padded));
  }
  checked_numel(convolution.operation, result);
  return result;
}

/// Whether a library made for convolutions may compute it.
bool suits_library(const Tensor& input) {
  return input.dtype() == float32 && input.numel() > 0;
}

bool takes_bias(const Convolution& convolution, const Tensor& input) {
  return kernels::convolution_takes_bias(convolution.operation, input.device());
}

/// out + bias for each place, in place.
void add_bias(const Tensor& out, const Tensor& bias) {
  Sizes channels{bias.size(0)};
  while (static_cast<std::int64_t>(channels.size()) < out.dim() - 1) channels.push_back(1);
  out.add_(bias.reshape(channels));
}

const float* elements_or_null(const Tensor& x) {
  return x.defined() ? x.data<float>() : nullptr;
}

Tensor convolution_forward(const Convolution& convolution, const Tensor& input, const Tensor& weight,
                           const Tensor& bias) {
  const Sizes result = result_sizes(convolution, input, weight);
  if (suits_library(input)) {
    const Tensor out = empty(result, {.dtype = float32, .device = input.device()});
    const Tensor x = compute_operand(input, float32), w = compute_operand(weight, float32);
    const Tensor b = bias.defined() && takes_bias(convolution, input) ? bias.contiguous() : Tensor();
    if (kernels::convolution(convolution.operation, input.device(),
                             kernel_sizes(convolution, input, weight, result), out.data<float>(),
                             x.data<float>(), w.data<float>(), elements_or_null(b))) {
      if (bias.defined() && !b.defined()) add_bias(out, bias);
      return out;
    }
  }
  return composed_convolution(convolution, input, weight, bias);
}

/// Of input, weight and bias; undefined where not needed.
using ConvolutionGradients = std::array<Tensor, 3>;
using NeededGradients = std::array<bool, 3>;

/// By the library; false where it cannot. The bias's comes with the weight's, where the library knows it.
bool library_gradients(const Convolution& convolution, const Tensor& grad, const Tensor& input,
                       const Tensor& weight, const NeededGradients& needed, ConvolutionGradients& made) {
  if (!suits_library(input)) return false;
  const auto sizes = kernel_sizes(convolution, input, weight, grad.sizes());
  const Tensor g = compute_operand(grad, float32), x = compute_operand(input, float32),
               w = compute_operand(weight, float32);
  if (needed[0]) {
    made[0] = empty(input.sizes(), {.dtype = float32, .device = input.device()});
    if (!kernels::convolution_input_gradient(convolution.operation, input.device(), sizes,
                                             made[0].data<float>(), g.data<float>(), w.data<float>()))
      return false;
  }
  if (!needed[1]) return true;
  made[1] = empty(weight.sizes(), {.dtype = float32, .device = input.device()});
  if (needed[2] && takes_bias(convolution, input))
    made[2] = empty({weight.size(0)}, {.dtype = float32, .device = input.device()});
  return kernels::convolution_parameter_gradients(
      convolution.operation, input.device(), sizes, made[1].data<float>(),
      made[2].defined() ? made[2].data<float>() : nullptr, g.data<float>(), x.data<float>());
}

/// Of input and weight, by computing the convolution once more from products that are recorded.
ConvolutionGradients composed_gradients(const Convolution& convolution, const Tensor& grad,
                                        const Tensor& input, const Tensor& weight,
                                        const NeededGradients& needed) {
  ConvolutionGradients made;
  if (!needed[0] && !needed[1]) return made;
  const EnableGradGuard recorded;
  std::vector<Tensor> leaves;
  const Tensor x = input.detach(), w = weight.detach();
  if (needed[0]) leaves.push_back(x.requires_grad_());
  if (needed[1]) leaves.push_back(w.requires_grad_());
  const auto gradients = autograd::grad({composed_convolution(convolution, x, w, {})}, leaves, {grad});
  if (needed[0]) made[0] = gradients.front();
  if (needed[1]) made[1] = gradients.back();
  return made;
}

ConvolutionGradients convolution_backward(const Convolution& convolution, const Tensor& grad,
                                          const Tensor& input, const Tensor& weight,
                                          const NeededGradients& needed) {
  ConvolutionGradients made;
  if (!library_gradients(convolution, grad, input, weight, needed, made))
    made = composed_gradients(convolution, grad, input, weight, needed);
  if (needed[2] && !made[2].defined()) {
    Sizes others{0};
    for (std::int64_t d = 2; d < grad.dim(); ++d) others.push_back(d);
    made[2] = grad.sum(others);
  }
  return made;
}

void count_gradients(const Tensor& grad, const Tensor& input, const Tensor& weight,
                     const NeededGradients& needed) {
  const std::int64_t products = 2 * grad.numel() * (weight.numel() / weight.size(0));
  const std::int64_t bytes = bytes_in_memory(grad);
  if (needed[0]) count(products, bytes + bytes_in_memory(weight) + input.nbytes());
  if (needed[1]) count(products, bytes + bytes_in_memory(input) + weight.nbytes());
  if (needed[2]) count(grad.numel(), bytes + weight.size(0) * weight.element_size());
}

Tensor convolve(const Convolution& convolution, const Tensor& input, const Tensor& weight,
                const Tensor& bias) {
  if (input.dim() == static_cast<std::int64_t>(convolution.windows.size()) + 1)
    return convolve(convolution, input.unsqueeze(0), weight, bias).squeeze(0);
  return autograd::recorded(
      convolution.operation, {&input, &weight, &bias},
      [&] {
        const Tensor out = uncounted([&] { return convolution_forward(convolution, input, weight, bias); });
        count(2 * out.numel() * (weight.numel() / weight.size(0)),
              bytes_in_memory(input) + bytes_in_memory(weight) + out.nbytes());
        if (bias.defined()) count(out.numel(), bytes_in_memory(bias));
        return out;
      },
      [&] {
        return [convolution, input = Saved(input), weight = Saved(weight)](const Tensor& grad,
                                                                           Gradients& gradients) {
          const NeededGradients needed{gradients.needs(0), gradients.needs(1), gradients.needs(2)};
          const Tensor x = input.get(), w = weight.get();
          count_gradients(grad, x, w, needed);
          const ConvolutionGradients made =
              uncounted([&] { return convolution_backward(convolution, grad, x, w, needed); });
          for (std::size_t i = 0; i < made.size(); ++i) {
            if (needed[i]) gradients.add(i, made[i]);
          }
        };
      });
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
