#include "ops/einops/einops.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "base/tensor_error.h"
#include "ops/einops/plan_cache.h"
#include "ops/extremum.h"
#include "ops/join.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

using einops::AxisSizes;
using einops::Kind;
using einops::Plan;

using ReduceFunction = std::function<Tensor(const Tensor&, const Sizes&)>;

std::shared_ptr<const Plan> find_plan(Kind kind, const einops::Context& context, const AxisSizes& sizes) {
  static einops::PlanCache<Plan> cache;
  std::string key(context.operation);
  key.append(" ").append(context.pattern).append(" ").append(to_string(*context.shape));
  for (const auto& [name, size] : sizes)
    key.append(" ").append(name).append(" ").append(std::to_string(size));
  return cache.get(key, [&] { return einops::make_plan(kind, context, sizes); });
}

/// Skips the permutation when it changes nothing.
Tensor permuted(const Tensor& x, const Sizes& order) {
  for (std::size_t d = 0; d < order.size(); ++d) {
    if (order[d] != static_cast<std::int64_t>(d)) return x.permute(order);
  }
  return x;
}

Tensor apply(Kind kind, std::string_view operation, const Tensor& x, einops::PatternText pattern,
             const AxisSizes& sizes, const ReduceFunction& reduction) {
  const auto plan = find_plan(kind, {operation, pattern, &x.sizes()}, sizes);
  Tensor result = x.sizes() == plan->axes ? x : x.view(plan->axes);
  if (!plan->reduced.empty()) result = reduction(result, plan->reduced);
  result = permuted(result, plan->order);
  if (result.sizes() != plan->unsqueezed) result = result.view(plan->unsqueezed);
  if (result.sizes() != plan->repeated) result = result.expand(plan->repeated);
  return result.sizes() == plan->merged ? result : result.reshape(plan->merged);
}

/// Reduces one dimension at a time, from the last, so that the others keep their positions.
Tensor product_over(const Tensor& x, const Sizes& dims) {
  Sizes falling = dims;
  std::sort(falling.begin(), falling.end(), std::greater<>());
  Tensor result = x;
  for (const std::int64_t dim : falling) result = prod(result, dim);
  return result;
}

ReduceFunction reduction_named(std::string_view name) {
  if (name == "sum") return [](const Tensor& x, const Sizes& dims) { return sum(x, dims); };
  if (name == "mean") return [](const Tensor& x, const Sizes& dims) { return mean(x, dims); };
  if (name == "max") return [](const Tensor& x, const Sizes& dims) { return amax(x, dims); };
  if (name == "min") return [](const Tensor& x, const Sizes& dims) { return amin(x, dims); };
  if (name == "prod") return product_over;
  if (name == "any") return [](const Tensor& x, const Sizes& dims) { return any(x, dims); };
  if (name == "all") return [](const Tensor& x, const Sizes& dims) { return all(x, dims); };
  throw TensorError("reduce", "reduction", "sum, mean, max, min, prod, any or all", name);
}

}  // namespace

Tensor rearrange(const Tensor& x, einops::PatternText pattern, const AxisSizes& sizes) {
  return apply(Kind::rearrange, "rearrange", x, pattern, sizes, {});
}

Tensor rearrange(const std::vector<Tensor>& tensors, einops::PatternText pattern, const AxisSizes& sizes) {
  return rearrange(stack(tensors), pattern, sizes);
}

Tensor reduce(const Tensor& x, einops::PatternText pattern, std::string_view reduction,
              const AxisSizes& sizes) {
  return apply(Kind::reduce, "reduce", x, pattern, sizes, reduction_named(reduction));
}

Tensor reduce(const Tensor& x, einops::PatternText pattern, const ReduceFunction& reduction,
              const AxisSizes& sizes) {
  return apply(Kind::reduce, "reduce", x, pattern, sizes, reduction);
}

Tensor repeat(const Tensor& x, einops::PatternText pattern, const AxisSizes& sizes) {
  return apply(Kind::repeat, "repeat", x, pattern, sizes, {});
}

}  // namespace lectern
