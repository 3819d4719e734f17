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

std::vector<double> values_of(const Tensor& tensor) {
  const Elements elements = read_elements(tensor, select_all(tensor.sizes()));
  if (is_floating_point(tensor.dtype())) return elements.reals;
  return {elements.integers.begin(), elements.integers.end()};
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

/// The Jacobian of `out` with respect to an input, a row for each element of `out`, by backward().
std::vector<std::vector<double>> jacobian(const Tensor& out, const Tensor& input) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t j = 0; j < out.numel(); ++j) {
    Tensor gradient;
    if (out.requires_grad()) {
      const Tensor one_hot = zeros_like(out);
      fill_elements(element(one_hot, j), 1);
      gradient = grad({out}, {input}, {one_hot}, {.retain_graph = true, .allow_unused = true})[0];
    }
    rows.push_back(gradient.defined() ? values_of(gradient)
                                      : std::vector<double>(static_cast<std::size_t>(input.numel())));
  }
  return rows;
}

void check_inputs(const std::vector<Tensor>& inputs) {
  bool any = false;
  for (const Tensor& input : inputs) {
    if (!input.requires_grad()) continue;
    any = true;
    if (input.dtype() != float64) {
      throw TensorError("gradcheck", "the inputs that require a gradient", "float64",
                        std::string(name(input.dtype())) + ", too coarse for finite differences");
    }
  }
  if (!any) throw TensorError("gradcheck", "no input requires a gradient");
}

}  // namespace

bool gradcheck(const std::function<Tensor(const std::vector<Tensor>&)>& function,
               const std::vector<Tensor>& inputs, const GradcheckOptions& options) {
  check_inputs(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].requires_grad()) continue;
    const std::vector<std::vector<double>> rows = jacobian(function(inputs), inputs[i]);
    const std::vector<double> values = values_of(inputs[i]);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Tensor changed = element(inputs[i], static_cast<std::int64_t>(k));
      const auto result_at = [&](double value) {
        const NoGradGuard no_grad;
        fill_elements(changed, value);
        std::vector<double> result = values_of(function(inputs));
        fill_elements(changed, values[k]);
        if (result.size() != rows.size()) {
          throw TensorError("gradcheck", "the number of elements of the result depends on the inputs: " +
                                             std::to_string(rows.size()) + " and " +
                                             std::to_string(result.size()));
        }
        return result;
      };
      const std::vector<double> above = result_at(values[k] + options.eps),
                                below = result_at(values[k] - options.eps);
      for (std::size_t j = 0; j < rows.size(); ++j) {
        const double quotient = (above[j] - below[j]) / (2 * options.eps), derivative = rows[j][k];
        if (std::abs(derivative - quotient) <= options.atol + options.rtol * std::abs(quotient)) continue;
        throw TensorError("gradcheck",
                          "the derivative of element " + std::to_string(j) +
                              " of the result with respect to element " + std::to_string(k) + " of input " +
                              std::to_string(i) + " is " + std::to_string(quotient) +
                              " by finite differences, but backward() gives " + std::to_string(derivative));
      }
    }
  }
  return true;
}

}  // namespace lectern::autograd
