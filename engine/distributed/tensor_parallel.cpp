#include "distributed/tensor_parallel.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "distributed/parallel_regions.h"
#include "nn/repr.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

nn::Parameter own_parameter_part(const char* operation, const Tensor& whole, std::int64_t dim,
                                 const Group& group) {
  const std::int64_t part = whole.size(dim) / get_world_size(group);
  const Tensor view = whole.detach().narrow(dim, get_rank(group) * part, part);
  return nn::Parameter(
      copied(operation, view, view.dtype(), view.device(), contiguous_strides(view.sizes())));
}

void check_divides(const char* operation, const char* what, std::int64_t features, const Group& group) {
  const int ranks = get_world_size(group);
  if (features % ranks == 0) return;
  throw TensorError(operation, what, fmt::format("a multiple of the number of ranks, {}", ranks),
                    std::to_string(features));
}

}  // namespace

void ParallelLinear::take_part(const nn::Linear& whole, std::int64_t weight_dim, bool divides_bias) {
  const std::string operation = name();
  weight = own_parameter_part(operation.c_str(), whole.weight, weight_dim, group_);
  if (!whole.bias.defined()) return;
  bias = divides_bias ? own_parameter_part(operation.c_str(), whole.bias, 0, group_)
                      : nn::Parameter(whole.bias.detach().clone());
}

std::string ParallelLinear::extra_repr() const {
  return fmt::format("in_features={}, out_features={}, bias={}, ranks={}", in_features_, out_features_,
                     nn::repr(bias.defined()), get_world_size(group_));
}

ColumnParallelLinear::ColumnParallelLinear(std::int64_t in_features, std::int64_t out_features,
                                           const ColumnParallelOptions& options)
    : ColumnParallelLinear(nn::Linear(in_features, out_features,
                                      {.bias = options.bias, .dtype = options.dtype, .device = cpu}),
                           options) {}

ColumnParallelLinear::ColumnParallelLinear(const nn::Linear& whole, const ColumnParallelOptions& options)
    : ParallelLinear(whole.in_features(), whole.out_features(), options.group),
      gather_output_(options.gather_output) {
  check_divides("ColumnParallelLinear", "out_features", whole.out_features(), options.group);
  take_part(whole, 0, true);
  LECTERN_REGISTER(weight, bias);
}

Tensor ColumnParallelLinear::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) {
    const Tensor part = linear(copy_to_parallel_region(in, group()), weight, bias);
    return gather_output_ ? gather_from_parallel_region(part, group()) : part;
  });
}

std::optional<std::int64_t> ColumnParallelLinear::divided_dim(std::string_view /*parameter*/) const {
  return 0;
}

RowParallelLinear::RowParallelLinear(std::int64_t in_features, std::int64_t out_features,
                                     const RowParallelOptions& options)
    : RowParallelLinear(nn::Linear(in_features, out_features,
                                   {.bias = options.bias, .dtype = options.dtype, .device = cpu}),
                        options) {}

RowParallelLinear::RowParallelLinear(const nn::Linear& whole, const RowParallelOptions& options)
    : ParallelLinear(whole.in_features(), whole.out_features(), options.group),
      input_is_parallel_(options.input_is_parallel) {
  check_divides("RowParallelLinear", "in_features", whole.in_features(), options.group);
  take_part(whole, 1, false);
  LECTERN_REGISTER(weight, bias);
}

Tensor RowParallelLinear::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) {
    const Tensor part = input_is_parallel_ ? in : scatter_to_parallel_region(in, group());
    const Tensor sum = reduce_from_parallel_region(linear(part, weight), group());
    return bias.defined() ? sum + bias : sum;
  });
}

std::optional<std::int64_t> RowParallelLinear::divided_dim(std::string_view parameter) const {
  if (parameter == "weight") return 1;
  return {};
}

}  // namespace lectern::distributed
