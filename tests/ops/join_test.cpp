#include "ops/join.h"

#include <gtest/gtest.h>

#include "device/counters.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kAll;
using test::kReal;
using test::Out;

TEST(Join, AsPyTorch) {
  std::vector<test::TorchRow> rows = {
      {"torch.cat((a, b, a), 1)",
       {{3, 4}, {3, 2}},
       kAll,
       [](const In& in) {
         return Out{cat({in[0], in[1], in[0]}, 1)};
       }},
      {"torch.cat((a, b), -3)",
       {{1, 4, 5}, {2, 4, 5}},
       kAll,
       [](const In& in) {
         return Out{cat({in[0], in[1]}, -3)};
       }},
      {"torch.cat((a, b))",
       {{0, 4}, {2, 4}},
       kAll,
       [](const In& in) {
         return Out{cat({in[0], in[1]})};
       }},
      {"torch.cat((a, b, a), 1)",
       {{0}, {2, 4}},
       kAll,
       [](const In& in) {
         return Out{cat({in[0], in[1], in[0]}, 1)};
       }},
      {"torch.cat((a, a))",
       {{0}},
       kAll,
       [](const In& in) {
         return Out{cat({in[0], in[0]})};
       }},
      {"torch.stack((a, b, a), 1)",
       {{3, 4}, {3, 4}},
       kAll,
       [](const In& in) {
         return Out{stack({in[0], in[1], in[0]}, 1)};
       }},
      {"torch.stack((a, b), -1)",
       {{3, 4}, {3, 4}},
       kAll,
       [](const In& in) {
         return Out{stack({in[0], in[1]}, -1)};
       }},
      {"torch.stack((a, b))",
       {{}, {}},
       kAll,
       [](const In& in) {
         return Out{stack({in[0], in[1]})};
       }},
      {"torch.hstack((a, b))",
       {{3}, {4}},
       kAll,
       [](const In& in) {
         return Out{hstack({in[0], in[1]})};
       }},
      {"torch.hstack((a, b))",
       {{}, {4}},
       kAll,
       [](const In& in) {
         return Out{hstack({in[0], in[1]})};
       }},
      {"torch.hstack((a, b))",
       {{2, 3}, {2, 1}},
       kAll,
       [](const In& in) {
         return Out{hstack({in[0], in[1]})};
       }},
      {"torch.vstack((a, b))",
       {{4}, {2, 4}},
       kAll,
       [](const In& in) {
         return Out{vstack({in[0], in[1]})};
       }},
      {"a.split(3)", {{7, 2}}, kAll, [](const In& in) { return in[0].split(3); }},
      {"a.split(3)", {{0, 2}}, kReal, [](const In& in) { return in[0].split(3); }},
      {"a.split((1, 0, 4), 1)",
       {{2, 5}},
       kAll,
       [](const In& in) {
         return in[0].split({1, 0, 4}, 1);
       }},
      {"a.chunk(4, -1)", {{2, 10}}, kAll, [](const In& in) { return in[0].chunk(4, -1); }},
      {"a.chunk(3, -1)", {{2, 0}}, kReal, [](const In& in) { return in[0].chunk(3, -1); }},
      {"a.chunk(7)", {{3}}, kReal, [](const In& in) { return in[0].chunk(7); }},
      {"a.unbind(1)", {{2, 3, 4}}, kAll, [](const In& in) { return in[0].unbind(1); }},
      // What both refuse.
      {"torch.cat((a, b))",
       {{2, 3}, {2, 4}},
       kReal,
       [](const In& in) {
         return Out{cat({in[0], in[1]})};
       }},
      {"torch.cat((a, b))",
       {{2, 3}, {2}},
       kReal,
       [](const In& in) {
         return Out{cat({in[0], in[1]})};
       }},
      {"torch.cat((a, b))",
       {{}, {2}},
       kReal,
       [](const In& in) {
         return Out{cat({in[0], in[1]})};
       }},
      {"torch.stack((a, b))",
       {{2, 1}, {2, 3}},
       kReal,
       [](const In& in) {
         return Out{stack({in[0], in[1]})};
       }},
      {"a.split((1, 2))",
       {{4}},
       kReal,
       [](const In& in) {
         return in[0].split({1, 2});
       }},
      {"a.split((1,))", {{4}}, kReal, [](const In& in) { return in[0].split({1}); }},
      {"a.split(0)", {{4}}, kReal, [](const In& in) { return in[0].split(0); }},
      {"a.chunk(0)", {{4}}, kReal, [](const In& in) { return in[0].chunk(0); }},
      {"a.unbind()", {{}}, kReal, [](const In& in) { return in[0].unbind(); }},
  };
  for (const std::string dtype : {"float64", "float16", "bfloat16", "int64", "int8", "uint8", "bool"}) {
    const Dtype to = dtype_from_name(dtype).value();
    rows.push_back({"torch.cat((a, b.to(torch." + dtype + ")))", {{2, 3}, {1, 3}}, kAll, [=](const In& in) {
                      return Out{cat({in[0], in[1].to(to)})};
                    }});
    rows.push_back({"torch.stack((a, a.to(torch." + dtype + ")))", {{}}, kAll, [=](const In& in) {
                      return Out{stack({in[0], in[0].to(to)})};
                    }});
  }
  test::expect_as_torch(rows);
}

TEST(Join, GradientOfCatAsPyTorch) {
  test::expect_as_torch({
      {"(lambda x, y: torch.autograd.grad(torch.cat((x, y, x.new_empty(0)), 1), (x, y), torch.ones(3, 6, "
       "dtype=a.dtype) "
       "* a[:, :1]))(a.clone().requires_grad_(), b.clone().requires_grad_())",
       {{3, 4}, {3, 2}},
       kReal,
       [](const In& in) {
         const Tensor nothing = empty({0}, {.dtype = in[0].dtype()});
         auto grads = test::gradients_of([](const In& parts) { return cat(parts, -1); },
                                         {in[0], in[1], nothing}, in[0].narrow(1, 0, 1).expand({3, 6}));
         EXPECT_EQ(grads.at(2).sizes(), Sizes{0});
         grads.pop_back();
         return grads;
       }},
  });
}

TEST(Join, PartsAreViews) {
  const Tensor x = zeros({6, 4});
  for (const auto& parts : {x.split(4), x.split({2, 4}), x.chunk(2, 1), x.unbind(), split(x, 4), chunk(x, 3),
                            unbind(x, 1), split(x, {6})}) {
    for (const Tensor& part : parts) EXPECT_EQ(part.storage(), x.storage());
  }
  EXPECT_EQ(split(x, {6}).size(), 1u);
  EXPECT_EQ(zeros({20}).split(std::vector<std::int64_t>(20, 1)).size(), 20u);
}

TEST(Join, CopiesEachElementOnce) {
  const Tensor x = zeros({6, 4});
  const CountScope scope;
  cat({x, x});
  EXPECT_EQ(scope.counted(), (Counters{0, 4 * x.nbytes()}));
}

TEST(Join, ErrorsNameTheTensor) {
  expect_error([] { cat({}); }, "cat: the list of tensors must be of one or more, not empty");
  expect_error(
      [] {
        cat({zeros({2}), zeros({})});
      },
      "cat: tensor 1 must be of one dimension or more; use stack(), not of shape []");
  expect_error(
      [] {
        cat({zeros({2, 3}), zeros({1, 3}), zeros({2, 4})});
      },
      "cat: tensor 2 must be of the shape of the others, [2, 3], but for dimension 0, not of shape [2, 4]");
  expect_error([] { cat({zeros({2, 3})}, 2); }, "cat: dim must be from -2 to 1, not 2");
  expect_error(
      [] {
        stack({zeros({2, 3}), zeros({2})});
      },
      "stack: tensor 1 must be of the shape of the others, [2, 3], not of shape [2]");
  expect_error(
      [] {
        zeros({4}).split({1, 2});
      },
      "split: split_sizes must be 0 or more, and together the size 4, not [1, 2]");
  expect_error([] { zeros({4}).split(0); }, "split: split_size must be more than 0, not 0");
  expect_error([] { zeros({4}).chunk(0); }, "chunk: chunks must be more than 0, not 0");
  expect_error([] { zeros({}).unbind(); }, "unbind: a tensor without dimensions cannot be taken apart");
}

}  // namespace
}  // namespace lectern
