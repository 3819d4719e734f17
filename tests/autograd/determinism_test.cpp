// Gradients to which many places add up are the same, bit by bit, in every run and with any number of
// threads.
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/threads.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/random.h"
#include "ops/sum.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::uniform;

class ThreadsAfterwards {
 public:
  ~ThreadsAfterwards() { set_num_threads(before_); }

 private:
  int before_ = get_num_threads();
};

TEST(Determinism, OfGradientsThatManyPlacesAddUpTo) {
  constexpr std::int64_t kTokens = 3000, kRows = 20, kColumns = 16;
  const Tensor tokens = randint(kRows, {kTokens});
  const Tensor places = randint(kRows, {kTokens, kColumns});
  const Tensor rows = uniform({kTokens, kColumns}, float32, 2), weight = uniform({kColumns}, float32, 3);
  const std::pair<const char*, std::function<Tensor(const Tensor&)>> lookups[] = {
      {"embedding", [&](const Tensor& x) { return embedding(tokens, x); }},
      {"index_select", [&](const Tensor& x) { return index_select(x, 0, tokens); }},
      {"index", [&](const Tensor& x) { return x.index({tokens}); }},
      {"gather", [&](const Tensor& x) { return gather(x, 0, places); }},
      {"take_along_dim", [&](const Tensor& x) { return take_along_dim(x, places, 0); }},
      {"index_add", [&](const Tensor& x) { return index_add(x, 0, tokens, rows) * x; }},
      {"scatter_add", [&](const Tensor& x) { return scatter_add(x, 0, places, rows) * x; }},
      {"broadcasting", [&](const Tensor& x) { return x[0] * rows; }},
      {"linear", [&](const Tensor& x) { return linear(rows, x); }},
      {"layer_norm", [&](const Tensor& x) { return layer_norm(rows, {kColumns}, x[0], x[1]); }},
      {"cross_entropy", [&](const Tensor& x) { return cross_entropy(linear(rows, x), tokens); }},
  };
  const ThreadsAfterwards afterwards;
  for (const auto& [name, lookup] : lookups) {
    Tensor first;
    for (const int threads : {1, 1, 2, 3, 8}) {
      set_num_threads(threads);
      const Tensor x = uniform({kRows, kColumns}, float32).requires_grad_();
      const Tensor y = lookup(x);
      y.backward(uniform(y.sizes(), float32, 4));
      if (!first.defined()) first = x.grad();
      EXPECT_TRUE(test::same_bits(x.grad(), first)) << name << " with " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace lectern
