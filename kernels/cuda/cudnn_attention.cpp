#include <compare>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/dtype.h"
#include "kernels/attention.h"
#include "kernels/cuda/cudnn_attention_graph.h"
#include "kernels/cuda/cudnn_folding.h"
#include "kernels/cuda/cudnn_plans.h"
#include "kernels/cuda/gemm_lt.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

using lectern::cuda::cudnn_handle;
using lectern::cuda::cudnn_version;

/// Hopper, from where cuDNN's engines are faster than those of attention_forward.cu.
constexpr int kHopper = 90, kAfterHopper = 100;
/// Of what the gradient stores of pairs of a query and a key for a while: memory must not grow with the
/// square of the length.
constexpr std::int64_t kMostPairBytes = 256 << 20;

/// Versions that are known to be wrong or to lack something, as cudnn-frontend lists them
/// (sdpa_support_surface.h and scaled_dot_product_flash_attention.h there).
bool version_attends(const AttentionForm& form) {
  const std::size_t version = cudnn_version();
  if (version < 90500 || version == 91000 || version == 91001) return false;
  return version > 90900 || !form.is_causal || form.query.sizes[2] > 1;
}

bool version_differentiates(const AttentionForm& form, QueryGradientSum sum) {
  const std::size_t version = cudnn_version();
  constexpr std::size_t kSetsSumsToZero = 90600;
  if (sum == QueryGradientSum::adds && version < kSetsSumsToZero) return false;
  return version > 91500 || form.key.sizes[2] % 128 == 0;
}

/// None: fused_attention_backward() is to do it. On other GPUs than Hopper cuDNN takes other engines, which
/// nobody has compared with it.
std::optional<QueryGradientSum> gradient_sum(const AttentionForm& form) {
  const int capability = compute_capability();
  if (capability < kHopper || capability >= kAfterHopper) return std::nullopt;
  if (attention_pair_bytes(form) <= kMostPairBytes) return QueryGradientSum::stores_pairs;
  if (form.query.sizes[2] * form.key.sizes[2] >= kManyPairs) return QueryGradientSum::adds;
  return std::nullopt;
}

struct AttentionKey {
  int device;
  bool is_gradient;
  AttentionForm form;

  friend auto operator<=>(const AttentionKey&, const AttentionKey&) = default;
};

using AttentionPlans = CudnnPlans<AttentionKey, AttentionTensors>;

AttentionPlans::Entry attention_plan(const AttentionKey& key) {
  return AttentionPlans::shared().find(key, [](const AttentionKey& of) -> AttentionPlans::Entry {
    CudnnGraph graph;
    if (!of.is_gradient) {
      const AttentionTensors tensors = add_attention(graph, of.form);
      return {tensors, graph.plan({cudnn_handle(), nullptr})};
    }
    const std::optional<QueryGradientSum> sum = gradient_sum(of.form);
    if (!sum || !version_differentiates(of.form, *sum)) return {};
    const AttentionTensors tensors = add_attention_gradient(graph, of.form, *sum);
    const bool stores_pairs = *sum == QueryGradientSum::stores_pairs;
    return {tensors, graph.plan({cudnn_handle(), nullptr}, {.is_deterministic = stores_pairs})};
  });
}

CudnnMemory memory_of(const AttentionTensors& tensors, const AttentionProblem& problem,
                      const AttentionMatrices& out, const float* log_sum_exp, const float* scale) {
  static constexpr float kLowest = std::numeric_limits<float>::lowest();
  CudnnMemory memory;
  memory.add(tensors.query, problem.query.data);
  memory.add(tensors.key, problem.key.data);
  memory.add(tensors.value, problem.value.data);
  memory.add(tensors.out, out.data);
  memory.add(tensors.log_sum_exp, log_sum_exp);
  memory.add(tensors.scale, scale);
  memory.add(tensors.hidden, &kLowest);
  return memory;
}

AttentionForm form_of(const AttentionFolding& folding, const AttentionProblem& problem,
                      const AttentionMatrices& out) {
  AttentionForm form{};
  form.dtype = problem.dtype;
  form.is_causal = problem.is_causal;
  form.query = folding.queries(problem, problem.query);
  form.key = folding.keys(problem, problem.key);
  form.value = folding.keys(problem, problem.value);
  form.out = folding.queries(problem, out);
  return form;
}

std::optional<AttentionForm> gradient_form_of(const AttentionProblem& problem, const AttentionMatrices& out,
                                              const AttentionMatrices& grad,
                                              const AttentionGradients& gradients) {
  const auto folding = attention_folding(problem, {&problem.query, &out, &grad, &gradients.query},
                                         {&gradients.key, &gradients.value});
  if (!folding) return std::nullopt;
  AttentionForm form = form_of(*folding, problem, out);
  form.grad = folding->queries(problem, grad);
  form.query_gradient = folding->queries(problem, gradients.query);
  form.key_gradient = folding->keys(problem, gradients.key);
  form.value_gradient = folding->keys(problem, gradients.value);
  return form;
}

/// Of the current device. None if cuDNN is not there or does not take such problems.
std::optional<AttentionKey> forward_key(const AttentionProblem& problem, const AttentionMatrices& out) {
  const bool is_taken =
      element_size(problem.dtype) == 2 && problem.mask.data == nullptr && compute_capability() >= kHopper;
  if (!is_taken || !lectern::cuda::cudnn_enabled() || lectern::cuda::cudnn() == nullptr) return std::nullopt;
  const auto folding = attention_folding(problem, {&problem.query, &out});
  if (!folding) return std::nullopt;
  const AttentionForm form = form_of(*folding, problem, out);
  if (!version_attends(form)) return std::nullopt;
  return AttentionKey{lectern::cuda::current_device(), false, form};
}

}  // namespace

bool library_attention_takes(const AttentionProblem& problem, const AttentionMatrices& out) {
  const std::optional<AttentionKey> key = forward_key(problem, out);
  return key && attention_plan(*key).plan != nullptr;
}

bool library_attention(const AttentionProblem& problem, const AttentionMatrices& out, float* log_sum_exp) {
  const std::optional<AttentionKey> key = forward_key(problem, out);
  if (!key) return false;
  const auto found = attention_plan(*key);
  if (found.plan == nullptr) return false;
  const auto scale = static_cast<float>(problem.scale);
  return AttentionPlans::shared().run(*key, found.plan,
                                      memory_of(found.tensors, problem, out, log_sum_exp, &scale));
}

bool library_attention_backward(const AttentionProblem& problem, const AttentionMatrices& out,
                                const float* log_sum_exp, const AttentionMatrices& grad,
                                const AttentionGradients& gradients) {
  if (!forward_key(problem, out)) return false;
  const std::optional<AttentionForm> form = gradient_form_of(problem, out, grad, gradients);
  if (!form) return false;
  const AttentionKey key{lectern::cuda::current_device(), true, *form};
  const auto found = attention_plan(key);
  if (found.plan == nullptr) return false;
  const CudnnGraph::Sizes& queries = form->query.sizes;
  const std::size_t row_bytes =
      static_cast<std::size_t>(queries[0] * queries[1] * queries[2]) * sizeof(float);
  const Scratch sums(row_bytes);
  const bool adds = found.tensors.query_sums != 0;
  const Scratch query_sums(adds ? row_bytes * static_cast<std::size_t>(queries[3]) : 0);
  const auto scale = static_cast<float>(problem.scale);
  static constexpr float kOne = 1;
  CudnnMemory memory = memory_of(found.tensors, problem, out, log_sum_exp, &scale);
  memory.add(found.tensors.grad, grad.data);
  memory.add(found.tensors.query_gradient, gradients.query.data);
  memory.add(found.tensors.key_gradient, gradients.key.data);
  memory.add(found.tensors.value_gradient, gradients.value.data);
  memory.add(found.tensors.grad_sums, sums.data());
  memory.add(found.tensors.query_sums, query_sums.data());
  memory.add(found.tensors.one, &kOne);
  return AttentionPlans::shared().run(key, found.plan, memory);
}

}  // namespace lectern::kernels::cuda
