#include "kernels/cuda/attention_backward.h"
#include "kernels/cuda/attention_float32.h"
#include "kernels/cuda/attention_scores.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

/// Of a row of out and its gradient, by a warp: Σ out grad. And the logarithm, of base 2.
template <typename T>
struct GradSumKernel {
  AttentionProblem problem;
  AttentionMatrices out, grad;
  const float* log_sum_exp;
  float *sums, *logarithms;

  template <typename Group>
  LECTERN_HD void operator()(const Group& group, std::int64_t row) const {
    constexpr int kColumnsPerLane = 4;
    const BatchPosition position = batch_position(problem.batch, static_cast<int>(row / problem.queries));
    const std::int64_t query = row % problem.queries, column = group.rank() * kColumnsPerLane;
    float sum = 0;
    if (column < problem.head) {
      T left[kColumnsPerLane], right[kColumnsPerLane];
      read(left, position.in<T>(out) + query * out.row + column);
      read(right, position.in<T>(grad) + query * grad.row + column);
      LECTERN_UNROLLED
      for (int i = 0; i < kColumnsPerLane; ++i)
        sum += static_cast<float>(left[i]) * static_cast<float>(right[i]);
    }
    sum = group.reduce(sum, [](float a, float b) { return a + b; });
    if (group.rank() == 0) {
      sums[row] = sum;
      logarithms[row] = log_sum_exp[row] * kLog2E;
    }
  }

 private:
  struct alignas(4 * sizeof(T)) Four {
    T at[4];
  };

  LECTERN_HD static void read(T (&elements)[4], const T* from) {
    const Four four = *reinterpret_cast<const Four*>(from);
    LECTERN_UNROLLED
    for (int i = 0; i < 4; ++i) elements[i] = four.at[i];
  }
};

bool has_one_pass(const AttentionProblem& problem, const AttentionGradients& gradients) {
  return problem.mask.data == nullptr && gradients.query.data != nullptr && gradients.key.data != nullptr &&
         attention_gradients_fit();
}

}  // namespace

void fused_attention_backward(const AttentionProblem& problem, const AttentionMatrices& out,
                              const float* log_sum_exp, const AttentionMatrices& grad,
                              const AttentionGradients& gradients, bool is_deterministic) {
  const std::int64_t rows = batches_of(problem.batch) * problem.queries;
  const Scratch scratch(2 * static_cast<std::size_t>(rows) * sizeof(float));
  auto* const sums = static_cast<float*>(scratch.data());
  float* const logarithms = sums + rows;
  const auto sum_gradients = [&]<typename T>(T) {
    launch_teams(rows, problem.head, GradSumKernel<T>{problem, out, grad, log_sum_exp, sums, logarithms});
  };
  const AttentionBackward attention{problem, grad, logarithms, sums};
  if (problem.dtype == float32) {
    sum_gradients(float{});
    if (gradients.query.data != nullptr) float32_query_gradient(attention, gradients.query);
    if (gradients.key.data != nullptr) float32_key_gradients(attention, gradients.key, gradients.value);
    return;
  }
  if (problem.dtype == bfloat16) {
    sum_gradients(BFloat16{});
  } else {
    sum_gradients(Half{});
  }
  if (!is_deterministic && has_one_pass(problem, gradients))
    return gradients_in_any_order(attention, gradients);
  if (gradients.query.data != nullptr) query_gradient(attention, gradients.query);
  if (gradients.key.data != nullptr) key_gradients(attention, gradients.key, gradients.value);
}

}  // namespace lectern::kernels::cuda
