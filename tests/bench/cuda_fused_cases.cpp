#include <string>

#include "bench/both_ways.h"
#include "bench/cases.h"
#include "compile/compile.h"
#include "ops/elementwise.h"
#include "ops/random.h"
#include "ops/reductions.h"

// What compile() makes of functions that are written out in elementwise operations and reductions, beside
// torch.compile.

namespace lectern::bench {
namespace {

/// gelu's approximation by tanh, in eight operations.
Tensor written_gelu(const Tensor& x) {
  return (tanh((x * x * 0.035677408 + 0.7978845608) * x) + 1) * 0.5 * x;
}

Tensor written_layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor centered = x - x.mean({-1}, true);
  return centered * rsqrt(centered.square().mean({-1}, true) + 1e-5) * weight + bias;
}

}  // namespace

std::vector<Case> cuda_fused_cases(const Scale& scale) {
  const std::int64_t rows = scale(8192, 40), columns = scale(8192, 37);
  const Sizes sizes{rows, columns}, row{columns};
  std::vector<Case> cases;
  for (const bool backward : {false, true}) {
    cases.push_back(
        {name_of("compiled_gelu", backward), tensors_of(to_string(sizes), backward), valued(backward, [=] {
           const Tensor x = rand(sizes);
           return Function{{x}, [=, fast = compile(written_gelu)] { return fast(x); }};
         })});
    cases.push_back({name_of("compiled_layer_norm", backward), tensors_of(to_string(sizes), backward),
                     valued(backward, [=] {
                       const Tensor x = rand(sizes), weight = rand(row), bias = rand(row);
                       return Function{{x, weight, bias}, [=, fast = compile(written_layer_norm)] {
                                         return fast(x, weight, bias);
                                       }};
                     })});
  }
  return cases;
}

}  // namespace lectern::bench
