#include "autograd/gradcheck.h"

#include <cmath>
#include <string>

#include "autograd/backward.h"
#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/elements.h"

namespace lectern::autograd {
namespace {

std::vector<double> numbers_of(const Tensor& tensor) {
  return read_elements(tensor, select_all(tensor.sizes())).reals;
}

/// The element at a row-major index, as a 0-d view.
Tensor element(const Tensor& tensor, std::int64_t at) {
  std::int64_t offset = tensor.storage_offset();
  for (std::size_t d = tensor.sizes().size(); d-- > 0;) {
    offset += at % tensor.sizes()[d] * tensor.strides()[d];
    at /= tensor.sizes()[d];
  }
  return tensor.alias({}, {}, offset);
}

std::size_t at(std::int64_t number) {
  return static_cast<std::size_t>(number);
}

/// The gradients of each element of `out` with respect to each input; undefined where there is none.
std::vector<std::vector<Tensor>> derivatives_by_backward(const Tensor& out,
                                                         const std::vector<Tensor>& inputs) {
  std::vector<Tensor> wanted;
  for (const Tensor& input : inputs) {
    if (input.requires_grad()) wanted.push_back(input);
  }
  std::vector<std::vector<Tensor>> derivatives(at(out.numel()), std::vector<Tensor>(inputs.size()));
  if (!out.requires_grad()) return derivatives;
  for (std::int64_t j = 0; j < out.numel(); ++j) {
    const Tensor one_hot = zeros_like(out);
    fill_elements(element(one_hot, j), 1);
    const auto gradients = grad({out}, wanted, {one_hot}, {.retain_graph = true, .allow_unused = true});
    auto next = gradients.begin();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].requires_grad()) derivatives[at(j)][i] = *next++;
    }
  }
  return derivatives;
}

void check_inputs(const std::vector<Tensor>& inputs) {
  bool any = false;
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) continue;
    any = true;
    if (input.dtype() != float64) {
      throw TensorError("gradcheck", "the inputs that require a gradient", "float64",
                        std::string(name(input.dtype())) + ", of which differences say nothing");
    }
  }
  if (!any) throw TensorError("gradcheck", "no input requires a gradient");
}

}  // namespace

bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
               const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  check_inputs(inputs);
  const std::vector<std::vector<Tensor>> derivatives = derivatives_by_backward(function(inputs), inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    std::vector<std::vector<double>> of_result;  // of each result element with respect to the input
    of_result.reserve(derivatives.size());
    for (const std::vector<Tensor>& by_input : derivatives) {
      of_result.push_back(by_input[i].defined() ? numbers_of(by_input[i])
                                                : std::vector<double>(at(inputs[i].numel())));
    }
    const std::vector<double> numbers = numbers_of(inputs[i]);
    for (std::int64_t k = 0; k < inputs[i].numel(); ++k) {
      const auto moved = [&](double by) {
        const NoGradGuard no_grad;
        fill_elements(element(inputs[i], k), numbers[at(k)] + by);
        std::vector<double> result = numbers_of(function(inputs));
        fill_elements(element(inputs[i], k), numbers[at(k)]);
        return result;
      };
      const std::vector<double> above = moved(options.eps), below = moved(-options.eps);
      for (std::size_t j = 0; j < of_result.size(); ++j) {
        const double quotient = (above[j] - below[j]) / (2 * options.eps), derivative = of_result[j][at(k)];
        if (std::abs(derivative - quotient) <= options.atol + options.rtol * std::abs(quotient)) continue;
        throw TensorError("gradcheck", "the derivative of number " + std::to_string(j) +
                                           " of the result by number " + std::to_string(k) + " of input " +
                                           std::to_string(i) + " is " + std::to_string(quotient) +
                                           " by differences, but backward() gives " +
                                           std::to_string(derivative));
      }
    }
  }
  return true;
}

}  // namespace lectern::autograd
