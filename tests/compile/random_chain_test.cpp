#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "compile/compile.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/fresh_seed.h"
#include "ops/gradients_of.h"
#include "ops/random_program.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

/// A program drawn from a seed: the same each time it runs.
class Chain {
 public:
  explicit Chain(std::uint32_t seed) : seed_(seed) {}

  Tensor operator()(const std::vector<Tensor>& inputs) const {
    std::mt19937 random(seed_);
    std::vector<Tensor> values = inputs;
    const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    const int steps = 4 + static_cast<int>(draw(20));
    for (int i = 0; i < steps; ++i) {
      const Tensor a = values[draw(values.size())];
      const Tensor b = values[draw(values.size())];
      values.push_back(step(draw(16), a, b, draw(3)));
    }
    Tensor sum = values.back() + inputs[0] * inputs[1] - inputs[2];
    for (std::size_t i = inputs.size(); i + 1 < values.size(); i += 3) sum = sum + values[i].mean();
    return sum;
  }

 private:
  static Tensor step(std::size_t kind, const Tensor& a, const Tensor& b, std::size_t dim) {
    const auto last = static_cast<std::int64_t>(dim);
    switch (kind) {
      case 0:
        return tanh(a);
      case 1:
        return a * 0.5 + b;
      case 2:
        return (a - b) * 0.7;
      case 3:
        return sigmoid(a) * b;
      case 4:
        return a - a.mean({-1}, true);
      case 5:
        return a.sum({last}, true) * 0.1;
      case 6:
        return a - a.amax({-1}, true);
      case 7:
        return where(a > b, a, b * 0.5);
      case 8:
        return a.clamp(Scalar(-1), Scalar(1));
      case 9:
        return a.transpose(0, 2).transpose(0, 2) + b;
      case 10:
        return a.sum({-2, -1}, true).expand_as(a) * 0.05;
      case 11: {
        Tensor c = a * 0.9;
        c.add_(a.mean());
        return c;
      }
      case 12:
        return a.square().mean({-1}, true) + 0.5;
      case 13:
        return (a.to(float64) * 0.5).to(a.dtype());
      case 14:
        return a.contiguous().reshape({-1}).reshape(a.sizes()) * b;
      default:
        return a / (b.abs() + 1);
    }
  }

  std::uint32_t seed_;
};

TEST(CompileRandomChains, AgreeWithEager) {
  const std::uint32_t first = fresh_seed();
  const std::uint32_t chains = default_device().is_cuda() ? 12 : 150;  // each is compiled there
  for (std::uint32_t i = 0; i < chains; ++i) {
    const std::uint32_t seed = first + i;
    const Sizes sizes = i % 3 == 0 ? Sizes{2, 3, 24} : i % 3 == 1 ? Sizes{3, 4, 130} : Sizes{2, 2, 2500};
    const std::vector<Tensor> inputs{uniform(sizes, float32, seed),
                                     uniform({1, 1, sizes.back()}, float32, seed + 1),
                                     uniform({1, sizes[1], sizes[2]}, float32, seed + 2).expand(sizes)};
    const Chain chain(seed);
    const auto fast = compile(chain);
    const Tensor expected = chain(inputs);
    ASSERT_TRUE(fast(inputs).allclose(expected, 1e-4, 1e-4)) << "LECTERN_SEED=" << seed << "\n"
                                                             << fast.explain(inputs);
    const Tensor grad = uniform(expected.sizes(), float32, seed + 3);
    const auto wanted = gradients_of(chain, inputs, grad);
    const auto got = gradients_of([&](const std::vector<Tensor>& in) { return fast(in); }, inputs, grad);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      ASSERT_EQ(wanted[k].defined(), got[k].defined());
      if (!wanted[k].defined()) continue;
      const double scale = 1 + wanted[k].abs().max().item<double>();
      ASSERT_TRUE(got[k].allclose(wanted[k], 1e-3, 1e-3 * scale))
          << "LECTERN_SEED=" << seed << ", gradient " << k;
    }
  }
}

/// Views, changes in place and operations, of which a naive model checks every element after each step.
TEST(CompileRandomPrograms, DoWhatANaiveModelDoes) {
  const auto run = compile([](const std::vector<std::byte>& bytes) { run_random_program(bytes); });
  const std::uint32_t first = fresh_seed();
  for (std::uint32_t i = 0; i < 200; ++i) {
    std::mt19937 random(first + i);
    std::vector<std::byte> bytes(40 + i % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_NO_THROW(run(bytes)) << "LECTERN_SEED=" << first + i;
  }
}

}  // namespace
}  // namespace lectern::test
