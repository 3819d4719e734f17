#include "ops/einops/einsum.h"

#include <functional>
#include <memory>
#include <numeric>
#include <string>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/autocast.h"
#include "ops/einops/contraction.h"
#include "ops/einops/plan_cache.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"

namespace lectern {
namespace {

using einops::Contraction;

std::shared_ptr<const Contraction> find_plan(const einops::Context& context,
                                             const std::vector<Tensor>& operands) {
  static einops::PlanCache<Contraction> cache;
  std::string key(context.pattern);
  std::vector<Sizes> shapes;
  for (const Tensor& operand : operands) {
    shapes.push_back(operand.sizes());
    key.append(" ").append(to_string(operand.sizes()));
  }
  return cache.get(key, [&] { return einops::plan_contraction(context, shapes); });
}

Tensor prepared(const Tensor& x, const Contraction::Operand& operand) {
  Tensor result = x.sizes() == operand.squeezed ? x : x.view(operand.squeezed);
  for (const auto& [first, second] : operand.diagonals) result = result.diagonal(0, first, second);
  return operand.summed.empty() ? result : sum(result, operand.summed, false, x.dtype());
}

/// The sizes in [begin, end).
Sizes part(const Sizes& sizes, std::size_t begin, std::size_t end) {
  return Sizes(std::span<const std::int64_t>(sizes).subspan(begin, end - begin));
}

std::int64_t product(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies());
}

Tensor multiplied(const Contraction::Product& step, const Tensor& a, const Tensor& b) {
  const Tensor left = a.permute(step.left_order), right = b.permute(step.right_order);
  const std::size_t left_rank = left.sizes().size(), right_rank = right.sizes().size();
  const Sizes batch = part(left.sizes(), 0, step.batch);
  const Sizes own_left = part(left.sizes(), step.batch, left_rank - step.summed);
  const Sizes own_right = part(right.sizes(), step.batch + step.summed, right_rank);
  if (step.summed == 0) {
    const Tensor spread = left.view(concat(left.sizes(), Sizes::filled(own_right.size(), 1)));
    return spread * right.view(concat(concat(batch, Sizes::filled(own_left.size(), 1)), own_right));
  }
  const std::int64_t inner = product(part(left.sizes(), left_rank - step.summed, left_rank));
  Sizes left_matrix{product(own_left), inner}, right_matrix{inner, product(own_right)};
  if (step.batch > 0) {
    left_matrix.insert(0, product(batch));
    right_matrix.insert(0, product(batch));
  }
  const Tensor made =
      uncounted([&] { return matmul(left.reshape(left_matrix), right.reshape(right_matrix)); });
  count_product(made, inner, left, right);
  return made.view(concat(concat(batch, own_left), own_right));
}

}  // namespace

Tensor einsum(const std::vector<Tensor>& operands, einops::PatternText pattern) {
  if (operands.empty()) throw TensorError("einsum", "the operands", "one or more", "none");
  if (autocasts(operands.front())) {
    const AutocastMode mode = autocast_mode();
    const AutocastGuard off{AutocastMode()};
    std::vector<Tensor> cast;
    cast.reserve(operands.size());
    for (const Tensor& operand : operands) cast.push_back(autocast_operand(operand, mode));
    return einsum(cast, pattern);
  }
  for (const Tensor& operand : operands) {
    if (operand.dtype() != operands[0].dtype()) {
      throw TensorError(
          "einsum", "the dtypes of the operands", "the same",
          std::string(name(operands[0].dtype())) + " and " + std::string(name(operand.dtype())));
    }
  }
  const auto plan = find_plan({"einsum", pattern}, operands);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < operands.size(); ++i)
    tensors.push_back(prepared(operands[i], plan->operands[i]));
  for (const Contraction::Product& step : plan->products) {
    tensors.push_back(multiplied(step, tensors[step.left], tensors[step.right]));
    tensors[step.left] = tensors[step.right] = Tensor();  // frees their memory for the next product
  }
  const Tensor result = tensors.back().permute(plan->order);
  return result.sizes() == plan->result ? result : result.view(plan->result);
}

}  // namespace lectern
