#include "ops/einops/einsum.h"

#include <gtest/gtest.h>

#include "autograd/gradcheck.h"
#include "device/counters.h"
#include "ops/einops/contraction.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;

struct Case {
  std::string pattern;
  std::vector<Sizes> shapes;
  std::string torch;  ///< of operands a, b, c, d
};

const Case kCases[] = {
    {"i j -> j i", {{2, 3}}, "torch.einsum('ij->ji', a)"},
    {"i j -> i", {{2, 3}}, "a.sum(1)"},
    {"i j ->", {{2, 3}}, "a.sum()"},
    {"i i -> i", {{3, 3}}, "a.diagonal()"},
    {"i i ->", {{3, 3}}, "torch.einsum('ii->', a)"},
    {"i j i k j -> k i", {{2, 3, 2, 4, 3}}, "torch.einsum('ijikj->ki', a)"},
    {"i i i -> i", {{3, 3, 3}}, "torch.einsum('iii->i', a)"},
    {"i, i ->", {{5}, {5}}, "a @ b"},
    {"i, j -> i j", {{2}, {3}}, "torch.outer(a, b)"},
    {"i j, i j -> i j", {{2, 3}, {2, 3}}, "a * b"},
    {"i j, i j -> i", {{2, 3}, {2, 3}}, "(a * b).sum(1)"},
    {"i k, k j -> i j", {{2, 3}, {3, 4}}, "a @ b"},
    {"i k, j k -> j i", {{2, 3}, {4, 3}}, "b @ a.t()"},
    {"k i, k j -> i j", {{3, 2}, {3, 4}}, "a.t() @ b"},
    {"i k, j l -> i j", {{2, 3}, {4, 5}}, "torch.outer(a.sum(1), b.sum(1))"},
    {"b i k, b k j -> b i j", {{2, 3, 4}, {2, 4, 5}}, "a @ b"},
    {"b i k, k j -> b i j", {{2, 3, 4}, {4, 5}}, "a @ b"},
    {"batch seq1 hidden, batch seq2 hidden -> batch seq1 seq2",
     {{2, 3, 4}, {2, 5, 4}},
     "a @ b.transpose(1, 2)"},
    {"b q h d, b k h d -> b h q k", {{2, 3, 2, 4}, {2, 5, 2, 4}}, "torch.einsum('bqhd,bkhd->bhqk', a, b)"},
    {"a b c, c d b -> d a", {{2, 3, 4}, {4, 5, 3}}, "torch.einsum('abc,cdb->da', a, b)"},
    {"... i j, ... j k -> ... i k", {{2, 3, 4, 5}, {2, 3, 5, 2}}, "a @ b"},
    {"... i j, ... j k -> ... i k", {{2, 1, 4, 5}, {3, 5, 2}}, "a @ b"},
    {"... i, i -> ...", {{2, 3, 4}, {4}}, "a @ b"},
    {"... i ->  i", {{2, 3, 4}}, "a.sum((0, 1))"},
    {"i 1 j, j -> 1 i", {{2, 1, 3}, {3}}, "(a[:, 0] @ b)[None]"},
    {"i j, j k, k l -> i l", {{2, 3}, {3, 4}, {4, 5}}, "a @ b @ c"},
    {"i j, j k, k l, l -> i", {{2, 3}, {3, 4}, {4, 5}, {5}}, "a @ b @ c @ d"},
    {"i, j, k -> k j i", {{2}, {3}, {4}}, "torch.einsum('i,j,k->kji', a, b, c)"},
    {"i j, i j, i j -> j", {{2, 3}, {2, 3}, {2, 3}}, "(a * b * c).sum(0)"},
    {"i j, j k -> i k", {{2, 1}, {3, 4}}, "torch.einsum('ij,jk->ik', a, b)"},
    {"i j, i j -> i j", {{2, 1}, {1, 3}}, "torch.einsum('ij,ij->ij', a, b)"},
    {"i i, i -> i", {{1, 1}, {4}}, "torch.einsum('ii,i->i', a, b)"},
    {"i j, i j, j -> j", {{2, 1}, {2, 3}, {1}}, "torch.einsum('ij,ij,j->j', a, b, c)"},
    {"i j, j -> i", {{2, 0}, {1}}, "torch.einsum('ij,j->i', a, b)"},
    {"i j, j k -> i k", {{2, 0}, {0, 3}}, "a @ b"},
    {"i j, j k -> i k", {{0, 2}, {2, 3}}, "a @ b"},
};

TEST(Einsum, AsPyTorchs) {
  std::vector<test::TorchRow> rows;
  for (const Case& c : kCases) {
    rows.push_back(
        {c.torch,
         c.shapes,
         {float64, float32},
         [&c](const std::vector<Tensor>& in) { return std::vector<Tensor>{einsum(in, c.pattern)}; },
         16,
         64});
  }
  test::expect_as_torch(rows);
}

TEST(Einsum, HasTheGradientsOfDifferences) {
  for (const Case& c : kCases) {
    std::vector<Tensor> inputs;
    for (const Sizes& shape : c.shapes) {
      inputs.push_back(
          test::uniform(shape, float64, static_cast<unsigned>(inputs.size()) + 1).requires_grad_());
    }
    EXPECT_TRUE(
        autograd::gradcheck([&](const std::vector<Tensor>& in) { return einsum(in, c.pattern); }, inputs))
        << c.pattern;
  }
}

TEST(Einsum, MultipliesInTheCheapestOrder) {
  const Tensor a = ones({2, 100}), b = ones({100, 100}), c = ones({100, 3});
  const CountScope scope;
  const Tensor result = einsum(b, c, a, "j k, k l, i j -> i l");
  EXPECT_EQ(result.sizes(), (Sizes{2, 3}));
  EXPECT_EQ(result[0][0].item<double>(), 10000);
  EXPECT_EQ(scope.counted().flops, 2 * (2 * 100 * 100 + 2 * 100 * 3)) << "(a b) c, not a (b c)";
}

TEST(Einsum, ManyOperandsGoFromLeftToRight) {
  const std::vector<Tensor> operands(14, full({2, 2}, 0.5));
  std::string pattern;
  for (int i = 0; i < 14; ++i) {
    pattern.append(i == 0 ? "" : ", ").append("x" + std::to_string(i) + " x" + std::to_string(i + 1));
  }
  EXPECT_EQ(einsum(operands, pattern + " -> x0 x14")[1][0].item<double>(), 0.5);
}

TEST(Einsum, CopiesNothingThatAProductReadsAsItLies) {
  const Tensor a = ones({4, 5}), b = ones({3, 5});
  const CountScope scope;
  einsum(a, b, "i k, j k -> i j");
  EXPECT_EQ(scope.counted().bytes, a.nbytes() + b.nbytes() + 4 * 3 * 4);
}

TEST(Einsum, ErrorsNameTheAxisAndShowThePattern) {
  const Tensor x = zeros({2, 3}), y = zeros({4, 5});
  const auto refused = [&](const std::vector<Tensor>& in, const std::string& pattern,
                           const std::string& problem) {
    expect_error([&] { einsum(in, pattern); }, "einsum: " + problem + "; the pattern is `" + pattern + "`");
  };
  refused({x}, "i j", "there is no `->` between two sides");
  refused({x, y}, "i j -> i", "the left side has 1 operand, given are 2");
  refused({x}, "i j k -> i", "operand 0 has shape [2, 3], and not as many dimensions as the pattern says");
  refused({x}, "i j k ... -> i",
          "operand 0 has shape [2, 3], and not as many dimensions as the pattern says");
  refused({x, y}, "i k, k j -> i j", "the axis `k` has size 3, but in operand 1 it has size 4");
  refused({x}, "i i -> i", "the axis `i` has size 2, but in operand 0 it has size 3");
  refused({zeros({1, 3})}, "i i -> i", "the axis `i` has size 1, but in operand 0 it has size 3");
  const std::string eight = "a b c d e f g h", more = " i j k l m n o p";
  const Tensor of_eight = zeros(Sizes::filled(8, 1));
  refused({of_eight, of_eight}, eight + "," + more + " -> " + eight + more + " 1",
          "a tensor of more than 16 dimensions would be needed");
  refused({x}, "i j -> i k", "the axis `k` is on the right side only");
  refused({x}, "i j -> i ...", "`...` is on the right side only");
  refused({x}, "i j -> i i", "the axis `i` comes twice on one side");
  refused({x}, "i j -> (i j)", "axes in parentheses cannot stand here; rearrange() before or after");
  refused({x}, "i 3 -> i", "a number other than 1 cannot stand here; name the axis");
  refused({x}, "1 j -> j", "a dimension of size 1 stands where operand 0 has one of size 2");
  expect_error([&] { einsum(x, y.to(float64), "i j, k l -> i"); },
               "einsum: the dtypes of the operands must be the same, not float32 and float64");
  expect_error([&] { einsum(std::vector<Tensor>{}, "->"); },
               "einsum: the operands must be one or more, not none");
}

}  // namespace
}  // namespace lectern
