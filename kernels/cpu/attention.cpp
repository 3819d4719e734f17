#include "kernels/attention.h"

#include <cstdlib>

// The CPU takes no problem, so that nobody calls the rest.

namespace lectern::kernels::cpu {

bool fused_attention_takes(const AttentionProblem&) {
  return false;
}

void fused_attention(const AttentionProblem&, const AttentionMatrices&, float*) {
  std::abort();
}

void fused_attention_backward(const AttentionProblem&, const AttentionMatrices&, const float*,
                              const AttentionMatrices&, const AttentionGradients&, bool) {
  std::abort();
}

bool library_attention_takes(const AttentionProblem&, const AttentionMatrices&) {
  std::abort();
}

bool library_attention(const AttentionProblem&, const AttentionMatrices&, float*) {
  std::abort();
}

bool library_attention_backward(const AttentionProblem&, const AttentionMatrices&, const float*,
                                const AttentionMatrices&, const AttentionGradients&) {
  std::abort();
}

}  // namespace lectern::kernels::cpu
