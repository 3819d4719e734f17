#include "distributed/tensor_parallel.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "distributed/parallel_regions.h"
#include "nn/repr.h"
#include "ops/elementwise.h"
#include "ops/linear.h"

namespace lectern::distributed {

void ParallelLinear::take_part(const nn::Linear& whole, std::int64_t weight_dim, bool divides_bias) {
  weight = nn::Parameter(own_part(whole.weight, weight_dim, group()));
  if (!whole.bias.defined()) return;
  bias = nn::Parameter(divides_bias ? own_part(whole.bias, 0, group()) : whole.bias.detach().clone());
}

std::string ParallelLinear::extra_repr() const {
  return fmt::format("in_features={}, out_features={}, bias={}, ranks={}", in_features_, out_features_,
                     nn::repr(bias.defined()), get_world_size(group()));
}

ColumnParallelLinear::ColumnParallelLinear(std::int64_t in_features, std::int64_t out_features,
                                           const ColumnParallelOptions& options)
    : ColumnParallelLinear(nn::Linear(in_features, out_features,
                                      {.bias = options.bias, .dtype = options.dtype, .device = cpu}),
                           options) {}

ColumnParallelLinear::ColumnParallelLinear(const nn::Linear& whole, const ColumnParallelOptions& options)
    : ParallelLinear(whole.in_features(), whole.out_features(), options.group),
      gather_output_(options.gather_output),
      copies_input_(options.copies_input) {
  check_divides("ColumnParallelLinear", "out_features", whole.out_features(), options.group);
  take_part(whole, 0, true);
  LECTERN_REGISTER(weight, bias);
}

Tensor ColumnParallelLinear::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) {
    const Tensor part = linear(copies_input_ ? copy_to_parallel_region(in, group()) : in, weight, bias);
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
