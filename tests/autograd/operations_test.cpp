// The gradients of operations, each compared with differences: on contiguous and transposed inputs, with
// sizes of 1 and without elements.
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "kernels/elementwise_gradients.h"
#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/flip.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/scan.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "tensor/creation.h"
#include "tensor/generator.h"

namespace lectern {
namespace {

using In = std::vector<Tensor>;

struct OperationCase {
  std::string name;
  std::vector<Sizes> sizes;
  std::function<Tensor(const In&)> operation;
  double low = -2, high = 2;  ///< of the inputs
};

void PrintTo(const OperationCase& c, std::ostream* out) {
  *out << c.name;
}

Tensor input(const Sizes& sizes, const OperationCase& c) {
  const Tensor x = empty(sizes, {.dtype = float64});
  x.uniform_(c.low, c.high);
  return x.requires_grad_();
}

/// Another weight for each element of the result.
Tensor weighted(const Tensor& y) {
  return y * (arange(y.numel(), {.dtype = float64}).view(y.sizes()) + 1);
}

/// A view with the dimensions reversed.
Tensor reversed(const Tensor& x) {
  Sizes dims;
  for (std::int64_t d = x.dim(); d-- > 0;) dims.push_back(d);
  return x.permute(dims);
}

class Operations : public testing::TestWithParam<OperationCase> {};

TEST_P(Operations, HaveTheGradientsOfDifferences) {
  const OperationCase& c = GetParam();
  manual_seed(7);
  In inputs;
  for (const Sizes& sizes : c.sizes) inputs.push_back(input(sizes, c));
  EXPECT_TRUE(autograd::gradcheck([&](const In& in) { return weighted(c.operation(in)); }, inputs));
  // The same elements in memory in the reverse order of dimensions.
  In turned;
  for (const Tensor& x : inputs) turned.push_back(reversed(x.detach()).contiguous().clone().requires_grad_());
  const auto of_turned = [&](const In& in) {
    In back;
    for (const Tensor& x : in) back.push_back(reversed(x));
    return weighted(c.operation(back));
  };
  EXPECT_TRUE(autograd::gradcheck(of_turned, turned));
}

TEST_P(Operations, SumGradientsOverWhatWasASizeOfOne) {
  const OperationCase& c = GetParam();
  manual_seed(8);
  for (const bool first : {true, false}) {
    In inputs;
    for (Sizes sizes : c.sizes) {
      if (!sizes.empty() && sizes[0] != 0) sizes[first ? 0 : sizes.size() - 1] = 1;
      inputs.push_back(input(sizes, c));
    }
    const auto of_expanded = [&](const In& in) {
      In whole;
      for (std::size_t i = 0; i < in.size(); ++i) whole.push_back(in[i].expand(c.sizes[i]));
      return weighted(c.operation(whole));
    };
    EXPECT_TRUE(autograd::gradcheck(of_expanded, inputs)) << (first ? "the first" : "the last");
  }
}

std::vector<OperationCase> unary_rows() {
  std::vector<OperationCase> cases;
#define LECTERN_ROW(name, Functor, rule, autocast)                                         \
  if (kernels::is_computed(kernels::Functor::kGradient) ||                                 \
      kernels::Functor::kGradient == kernels::GradientReads::pass) {                       \
    cases.push_back({#name, {{2, 3}}, [](const In& in) { return lectern::name(in[0]); }}); \
    cases.push_back({#name " of none", {{0, 3}}, cases.back().operation});                 \
    cases.push_back({#name " of a number", {{}}, cases.back().operation});                 \
  }
  LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  for (OperationCase& c : cases) {
    const std::string row = c.name.substr(0, c.name.find(' '));
    for (const char* positive :
         {"sqrt", "rsqrt", "log", "log2", "log10", "log1p", "reciprocal", "lgamma", "digamma"}) {
      if (row == positive) c.low = 0.3;
    }
    for (const char* inside : {"asin", "acos", "atanh", "logit", "tan", "erfinv"}) {
      if (row == inside) c.low = 0.1, c.high = 0.9;
    }
    if (row == "acosh") c.low = 1.3, c.high = 3;
  }
  return cases;
}

std::vector<OperationCase> binary_rows() {
  std::vector<OperationCase> cases;
  const auto add = [&](const char* name, const std::function<Tensor(const In&)>& operation) {
    cases.push_back({name, {{2, 3}, {2, 3}}, operation, 0.5, 2});
    cases.push_back({std::string(name) + " broadcast", {{2, 1}, {1, 3}}, operation, 0.5, 2});
    cases.push_back({std::string(name) + " with a number", {{2, 2}, {}}, operation, 0.5, 2});
    cases.push_back({std::string(name) + " of none", {{0, 3}, {3}}, operation, 0.5, 2});
  };
#define LECTERN_ROW(name, Functor, rule, autocast)                    \
  if (kernels::Functor::kGradientA != kernels::GradientReads::none && \
      kernels::Functor::kGradientA != kernels::GradientReads::zero)   \
    add(#name, [](const In& in) { return lectern::name(in[0], in[1]); });
  LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
  return cases;
}

Tensor rows() {
  return tensor({2, 0, 2, 1});
}

std::vector<OperationCase> others() {
  return {
      {"a number minus", {{2, 3}}, [](const In& in) { return 2 - in[0]; }},
      {"a number over", {{2, 3}}, [](const In& in) { return 2 / in[0]; }, 0.5, 2},
      {"a number's power", {{2, 3}}, [](const In& in) { return pow(2, in[0]); }},
      {"power 3", {{2, 3}}, [](const In& in) { return pow(in[0], 3); }},
      {"power 0.5", {{2, 3}}, [](const In& in) { return pow(in[0], 0.5); }, 0.5, 2},
      {"where", {{2, 3}, {3}}, [](const In& in) { return where(in[0].detach() > 0, in[0], in[1]); }},
      {"where of a number", {{2, 3}}, [](const In& in) { return where(in[0].detach() > 0, in[0], 3.); }},
      {"clamp", {{2, 5}}, [](const In& in) { return clamp(in[0], Scalar(-1.), Scalar(1.)); }},
      {"clamp from below", {{2, 5}}, [](const In& in) { return clamp(in[0], Scalar(-1.), {}); }},
      {"clamp by tensors",
       {{3, 5}, {5}, {3, 1}},
       [](const In& in) { return clamp(in[0], std::optional(in[1] - 1), std::optional(in[2] + 1)); }},
      {"masked_fill", {{2, 3}}, [](const In& in) { return masked_fill(in[0], in[0].detach() > 0, 7.); }},
      {"masked_fill by a tensor",
       {{2, 3}, {}},
       [](const In& in) { return masked_fill(in[0], in[0].detach() > 0, in[1]); }},
      {"gelu tanh", {{2, 3}}, [](const In& in) { return gelu(in[0], "tanh"); }},
      {"swiglu", {{2, 6}}, [](const In& in) { return swiglu(in[0]); }},
      {"matmul", {{2, 3}, {3, 4}}, [](const In& in) { return matmul(in[0], in[1]); }},
      {"matmul of batches", {{2, 1, 2, 3}, {5, 3, 2}}, [](const In& in) { return matmul(in[0], in[1]); }},
      {"matmul with a vector", {{2, 2, 3}, {3}}, [](const In& in) { return matmul(in[0], in[1]); }},
      {"vector matmul", {{3}, {2, 3, 2}}, [](const In& in) { return matmul(in[0], in[1]); }},
      {"matmul of an empty inner size", {{2, 0}, {0, 3}}, [](const In& in) { return matmul(in[0], in[1]); }},
      {"mm", {{1, 3}, {3, 1}}, [](const In& in) { return mm(in[0], in[1]); }},
      {"bmm", {{2, 2, 3}, {2, 3, 1}}, [](const In& in) { return bmm(in[0], in[1]); }},
      {"linear", {{2, 2, 3}, {4, 3}, {4}}, [](const In& in) { return linear(in[0], in[1], in[2]); }},
      {"linear of a vector", {{3}, {4, 3}}, [](const In& in) { return linear(in[0], in[1]); }},
      {"addmm", {{4}, {2, 3}, {3, 4}}, [](const In& in) { return addmm(in[0], in[1], in[2], 0.5, 2); }},
      {"dot", {{3}, {3}}, [](const In& in) { return dot(in[0], in[1]); }},
      {"outer", {{3}, {2}}, [](const In& in) { return outer(in[0], in[1]); }},
      {"cat", {{2, 3}, {1, 3}, {0, 3}}, [](const In& in) { return cat(in, 0); }},
      {"stack", {{2, 3}, {2, 3}}, [](const In& in) { return stack(in, 1); }},
      {"split",
       {{2, 5}},
       [](const In& in) {
         const auto parts = in[0].split(2, 1);
         return cat({parts[2], parts[0]}, 1);
       }},
      {"gather",
       {{3, 4}},
       [](const In& in) {
         return gather(in[0], 0, tensor({{2, 0, 0, 1}, {2, 2, 1, 1}}));
       }},
      {"take_along_dim",
       {{3, 2}},
       [](const In& in) {
         return take_along_dim(in[0], tensor({{-1, 0}, {2, 2}}), 0);
       }},
      {"scatter",
       {{3, 4}, {2, 4}},
       [](const In& in) {
         return scatter(in[0], 0, tensor({{2, 0, 1}, {0, 1, 2}}), in[1]);
       }},
      {"scatter_add",
       {{3, 4}, {2, 4}},
       [](const In& in) {
         return scatter_add(in[0], 0, tensor({{2, 0, 1, 1}, {2, 1, 1, 0}}), in[1]);
       }},
      {"index_select", {{3, 2}}, [](const In& in) { return index_select(in[0], 0, rows()); }},
      {"index_add", {{3, 2}, {4, 2}}, [](const In& in) { return index_add(in[0], 0, rows(), in[1], 3); }},
      {"index by tensors",
       {{3, 4, 2}},
       [](const In& in) {
         return in[0].index({rows(), Slice(), tensor({0, 1, 1, 0})});
       }},
      {"index by a mask", {{3, 2}}, [](const In& in) { return in[0].index({in[0].detach() > 0}); }},
      {"index by a mask without dimensions",
       {{3, 2}},
       [](const In& in) { return in[0].index({tensor(true)}); }},
      {"index by a number", {{3, 2}}, [](const In& in) { return in[0].index({tensor(2)}); }},
      {"index_put_",
       {{3, 2}, {2, 2}},
       [](const In& in) {
         return in[0].clone().index_put_({tensor({2, 0})}, in[1]);
       }},
      {"index_put_ that adds up",
       {{3, 2}, {2}},
       [](const In& in) { return in[0].clone().index_put_({rows()}, in[1], true); }},
      {"embedding",
       {{3, 2}},
       [](const In& in) {
         return embedding(tensor({{2, 0}, {2, 1}}), in[0]);
       }},
      {"sort", {{2, 4}}, [](const In& in) { return sort(in[0], -1, true).values; }},
      {"sort along the first", {{4, 2}}, [](const In& in) { return sort(in[0], 0).values; }},
      {"topk", {{2, 5}}, [](const In& in) { return topk(in[0], 2).values; }},
      {"repeat",
       {{2, 1, 3}},
       [](const In& in) {
         return repeat(in[0], {2, 1, 3, 1});
       }},
      {"repeat_interleave", {{2, 3}}, [](const In& in) { return repeat_interleave(in[0], 2, 1); }},
      {"repeat_interleave by a tensor",
       {{3, 2}},
       [](const In& in) {
         return repeat_interleave(in[0], tensor({2, 0, 1}), 0);
       }},
      {"max", {{2, 3}}, [](const In& in) { return in[0].max(); }},
      {"amin", {{2, 3}}, [](const In& in) { return amin(in[0], {1}, true); }},
      {"max along", {{2, 3}}, [](const In& in) { return max(in[0], 0).values; }},
      {"min along, kept", {{2, 3}}, [](const In& in) { return min(in[0], -1, true).values; }},
      {"prod", {{2, 3}}, [](const In& in) { return prod(in[0]); }},
      {"prod along", {{2, 3}}, [](const In& in) { return prod(in[0], 1, true); }},
      {"var", {{2, 5}}, [](const In& in) { return var(in[0], {1}); }},
      {"var without correction", {{2, 5}}, [](const In& in) { return var(in[0], {}, 0); }},
      {"std",
       {{2, 5}},
       [](const In& in) {
         return std(in[0], {0, 1}, 1, true);
       }},
      {"norm", {{2, 5}}, [](const In& in) { return norm(in[0], 2, {1}); }},
      {"norm 1", {{2, 5}}, [](const In& in) { return norm(in[0], 1); }},
      {"norm 3", {{2, 5}}, [](const In& in) { return norm(in[0], 3, {0}, true); }},
      {"norm inf", {{2, 5}}, [](const In& in) { return norm(in[0], HUGE_VAL, {1}); }},
      {"logsumexp", {{2, 5}}, [](const In& in) { return logsumexp(in[0], {1}); }},
      {"logsumexp, kept",
       {{2, 5}},
       [](const In& in) {
         return logsumexp(in[0], {0, 1}, true);
       }},
      {"cumsum", {{2, 5}}, [](const In& in) { return cumsum(in[0], 1); }},
      {"softmax", {{2, 5}}, [](const In& in) { return softmax(in[0], -1); }},
      {"softmax along the first", {{3, 2}}, [](const In& in) { return softmax(in[0], 0); }},
      {"log_softmax", {{2, 5}}, [](const In& in) { return log_softmax(in[0], 1); }},
      {"layer_norm",
       {{2, 2, 3}, {3}, {3}},
       [](const In& in) { return layer_norm(in[0], {3}, in[1], in[2]); }},
      {"layer_norm of two dimensions",
       {{2, 2, 3}},
       [](const In& in) {
         return layer_norm(in[0], {2, 3});
       }},
      {"rms_norm", {{2, 5}, {5}}, [](const In& in) { return rms_norm(in[0], {5}, in[1]); }},
      {"cross_entropy",
       {{4, 3}},
       [](const In& in) {
         return cross_entropy(in[0], tensor({2, 0, -100, 1}), {.label_smoothing = 0.1});
       }},
      {"cross_entropy each",
       {{2, 3, 2}},
       [](const In& in) {
         return cross_entropy(in[0], tensor({{2, 0}, {1, 1}}), {.reduction = LossReduction::unreduced});
       }},
      {"nll_loss",
       {{4, 3}},
       [](const In& in) {
         return nll_loss(in[0], tensor({2, 0, 1, 1}));
       }},
      {"cross_entropy of probabilities",
       {{2, 3}, {2, 3}},
       [](const In& in) { return cross_entropy(in[0], softmax(in[1], 1), {.label_smoothing = 0.1}); }},
      {"mse_loss", {{2, 3}, {2, 3}}, [](const In& in) { return mse_loss(in[0], in[1]); }},
      {"l1_loss", {{2, 3}, {3}}, [](const In& in) { return l1_loss(in[0], in[1]); }},
      {"huber_loss",
       {{2, 3}, {3}},
       [](const In& in) { return huber_loss(in[0], in[1], LossReduction::sum, 0.7); }},
      {"smooth_l1_loss",
       {{2, 3}, {2, 1}},
       [](const In& in) { return smooth_l1_loss(in[0], in[1], LossReduction::unreduced, 0.7); }},
      {"kl_div",
       {{2, 3}, {2, 3}},
       [](const In& in) { return kl_div(in[0], in[1].exp(), KlDivReduction::batchmean); }},
      {"kl_div of logarithms",
       {{2, 3}, {3}},
       [](const In& in) { return kl_div(in[0], in[1], KlDivReduction::sum, true); }},
      {"binary_cross_entropy",
       {{2, 3}, {2, 3}},
       [](const In& in) {
         const Tensor weights = tensor({0.5, 2, 3}, {.dtype = float64});
         return binary_cross_entropy(in[0].sigmoid(), in[1].sigmoid(), weights);
       }},
      {"binary_cross_entropy_with_logits",
       {{2, 3}, {2, 3}},
       [](const In& in) {
         const Tensor weights = tensor({0.5, 2, 3}, {.dtype = float64});
         return binary_cross_entropy_with_logits(in[0], in[1], weights, LossReduction::sum, weights);
       }},
      {"dropout",
       {{20}},
       [](const In& in) {
         Generator generator(default_device());
         return dropout(in[0], 0.4, true, &generator);
       }},
      {"flip", {{2, 3}}, [](const In& in) { return flip(in[0], {1}); }},
      {"roll",
       {{2, 3}},
       [](const In& in) {
         return roll(in[0], {1, -2}, {0, 1});
       }},
  };
}

std::vector<OperationCase> in_place() {
  return {
      {"mul_", {{2, 3}, {3}}, [](const In& in) { return in[0].clone().mul_(in[1]); }},
      {"div_", {{2, 3}, {2, 1}}, [](const In& in) { return in[0].clone().div_(in[1]); }, 0.5, 2},
      {"pow_", {{2, 3}, {}}, [](const In& in) { return in[0].clone().pow_(in[1]); }, 0.5, 2},
      {"exp_", {{2, 3}}, [](const In& in) { return in[0].clone().exp_(); }},
      {"square_", {{2, 3}}, [](const In& in) { return in[0].clone().square_(); }},
      {"square_ by pow_", {{2, 3}}, [](const In& in) { return in[0].clone().pow_(2); }},
      {"clamp_", {{2, 5}}, [](const In& in) { return in[0].clone().clamp_(Scalar(-1.), Scalar(1.)); }},
      {"masked_fill_",
       {{2, 3}},
       [](const In& in) { return in[0].clone().masked_fill_(in[0].detach() > 0, 7.); }},
      {"scatter_ of a number",
       {{3, 2}},
       [](const In& in) {
         return in[0].clone().scatter_(0, tensor({{2, 0}}), 4.);
       }},
      {"mul_ of a column",
       {{3, 2}, {3}},
       [](const In& in) {
         const Tensor x = in[0].clone();
         x.select(1, 1).mul_(in[1]);
         return x;
       }},
  };
}

INSTANTIATE_TEST_SUITE_P(Unary, Operations, testing::ValuesIn(unary_rows()));
INSTANTIATE_TEST_SUITE_P(Binary, Operations, testing::ValuesIn(binary_rows()));
INSTANTIATE_TEST_SUITE_P(Others, Operations, testing::ValuesIn(others()));
INSTANTIATE_TEST_SUITE_P(InPlace, Operations, testing::ValuesIn(in_place()));

}  // namespace
}  // namespace lectern
