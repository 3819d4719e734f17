// Operations that pad, repeat, window and list positions, side by side with PyTorch's.
#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "ops/meshgrid.h"
#include "ops/nonzero.h"
#include "ops/pad.h"
#include "ops/tensors.h"
#include "ops/torch_reference.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::kEvery;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

std::string python_tuple(const Sizes& sizes) {
  std::string text = "(";
  for (const std::int64_t size : sizes) text += std::to_string(size) + ",";
  return text + ")";
}

TEST(TorchShapes, Pad) {
  std::vector<TorchRow> rows;
  const std::string call = "torch.nn.functional.pad(a, ";
  for (const auto& [sizes, pads] :
       std::initializer_list<std::pair<Sizes, Sizes>>{{{3, 4}, {1, 2}},
                                                      {{3, 4}, {1, 2, 3, 0}},
                                                      {{3, 4}, {-1, 2}},
                                                      {{3, 4}, {-1, -2, 1, -1}},
                                                      {{4}, {0, 0}},
                                                      {{2, 3, 4}, {1, 0, 0, 2, 1, 1}},
                                                      {{4}, {5, 5}},
                                                      {{3, 4}, {1, 1, 1}},
                                                      {{4}, {1, 1, 1, 1}},
                                                      {{4}, {-3, -3}},
                                                      {{}, {}}}) {
    const Sizes given = pads;
    for (const double value : {0., 2.}) {
      rows.push_back({call + python_tuple(pads) + ", value=" + std::to_string(value) + ")",
                      {sizes},
                      kEvery,
                      [=](const In& in) { return Out{pad(in[0], given, "constant", value)}; }});
    }
  }
  for (const auto& [sizes, pads] :
       std::initializer_list<std::pair<Sizes, Sizes>>{{{2, 3, 4}, {1, 2}},
                                                      {{2, 3, 4}, {4, 4}},
                                                      {{2, 3, 4}, {-1, 2}},
                                                      {{2, 3, 4}, {-2, -1}},
                                                      {{2, 3, 4}, {0, 0}},
                                                      {{2, 3, 4}, {5, 0}},
                                                      {{3, 4}, {1, 1}},
                                                      {{2, 2, 3, 4}, {1, 1, 2, 0}},
                                                      {{2, 2, 3, 4}, {1, 1}},
                                                      {{1, 2, 2, 3, 4}, {1, 0, 2, 1, 1, 1}}}) {
    const Sizes given = pads;
    rows.push_back({call + python_tuple(pads) + ", mode='circular')", {sizes}, kEvery, [=](const In& in) {
                      return Out{pad(in[0], given, "circular")};
                    }});
  }
  for (const std::string mode : {"reflect", "replicate"}) {
    for (const auto& [sizes, pads] :
         std::initializer_list<std::pair<Sizes, Sizes>>{{{3, 4}, {1, 2}},
                                                        {{2, 3, 4}, {3, 3}},
                                                        {{2, 3, 4}, {1, 2, 2, 0}},
                                                        {{2, 2, 3, 4}, {0, 3, 1, 2}},
                                                        {{2, 2, 3, 4}, {1, 1, 2, 2, 1, 0}},
                                                        {{1, 2, 2, 3, 4}, {1, 1, 2, 0, 1, 1}},
                                                        {{3, 4}, {-1, 2}},
                                                        {{3}, {1, 1}},
                                                        {{2, 2, 3, 4}, {1, 1}},
                                                        {{2, 0}, {1, 1}}}) {
      const Sizes given = pads;
      rows.push_back({call + python_tuple(pads) + ", mode='" + mode + "')",
                      {sizes},
                      kWithGradients,
                      [=](const In& in) { return Out{pad(in[0], given, mode)}; },
                      0,
                      4});
    }
    rows.push_back({call + "(1, 1), mode='" + mode + "')", {{2, 3}}, {int64}, [=](const In& in) {
                      return Out{pad(in[0], {1, 1}, mode)};
                    }});
  }
  rows.push_back({call + "(4, 0), mode='reflect')", {{2, 4}}, kReal, [](const In& in) {
                    return Out{pad(in[0], {4, 0}, "reflect")};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchShapes, OrdersOfDimensions) {
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : {Sizes{}, Sizes{3}, Sizes{3, 4}, Sizes{2, 3, 4}})
    rows.push_back({"a.T", {sizes}, kEvery, [](const In& in) { return Out{in[0].T()}; }});
  rows.push_back(
      {"a.movedim(0, -1)", {{2, 3, 4}}, kEvery, [](const In& in) { return Out{in[0].movedim(0, -1)}; }});
  rows.push_back({"a.movedim((0, 1), (2, 0))", {{2, 3, 4, 5}}, kEvery, [](const In& in) {
                    return Out{in[0].movedim({0, 1}, {2, 0})};
                  }});
  rows.push_back({"a.movedim((3, 0), (0, 1))", {{2, 3, 4, 5}}, kReal, [](const In& in) {
                    return Out{in[0].movedim({3, 0}, {0, 1})};
                  }});
  rows.push_back({"a.movedim(0, 0)", {{}}, kReal, [](const In& in) { return Out{in[0].movedim(0, 0)}; }});
  rows.push_back({"a.movedim((0, 0), (1, 2))", {{2, 3, 4}}, kReal, [](const In& in) {
                    return Out{in[0].movedim({0, 0}, {1, 2})};
                  }});
  rows.push_back({"a.movedim((0, 1), (2, 2))", {{2, 3, 4}}, kReal, [](const In& in) {
                    return Out{in[0].movedim({0, 1}, {2, 2})};
                  }});
  rows.push_back(
      {"a.movedim(0, 3)", {{2, 3, 4}}, kReal, [](const In& in) { return Out{in[0].movedim(0, 3)}; }});
  test::expect_as_torch(rows);
}

TEST(TorchShapes, Unfold) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, arguments] :
       std::initializer_list<std::pair<Sizes, Sizes>>{{{7}, {0, 3, 1}},
                                                      {{7}, {0, 3, 2}},
                                                      {{7}, {0, 2, 5}},
                                                      {{7}, {0, 7, 100}},
                                                      {{3, 8}, {1, 4, 2}},
                                                      {{3, 8}, {0, 2, 1}},
                                                      {{2, 6, 3}, {-2, 3, 3}},
                                                      {{}, {0, 1, 1}},
                                                      {{7}, {0, 8, 1}},
                                                      {{7}, {0, 3, 0}},
                                                      {{7}, {0, 0, 1}},
                                                      {{0, 3}, {1, 2, 1}}}) {
    const std::int64_t dim = arguments[0], size = arguments[1], step = arguments[2];
    rows.push_back({"a.unfold" + python_tuple(arguments),
                    {sizes},
                    kEvery,
                    [=](const In& in) { return Out{in[0].unfold(dim, size, step)}; },
                    0,
                    8});
  }
  test::expect_as_torch(rows);
}

TEST(TorchShapes, Diag) {
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : {Sizes{3}, Sizes{0}, Sizes{3, 4}, Sizes{4, 2}, Sizes{}, Sizes{2, 2, 2}}) {
    for (const std::int64_t diagonal : {0L, 1L, -2L}) {
      rows.push_back({"a.diag(" + std::to_string(diagonal) + ")", {sizes}, kEvery, [=](const In& in) {
                        return Out{diagonal == 1 ? in[0].diag(diagonal) : diag(in[0], diagonal)};
                      }});
    }
  }
  test::expect_as_torch(rows);
}

TEST(TorchShapes, Positions) {
  std::vector<TorchRow> rows;
  for (const auto& [rows_, columns] : std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
           {3, 3}, {2, 5}, {5, 2}, {0, 3}, {3, 0}, {1, 1}}) {
    for (const std::int64_t offset : {0L, 1L, -1L, 4L, -7L, 9L}) {
      const std::string arguments =
          "(" + std::to_string(rows_) + ", " + std::to_string(columns) + ", " + std::to_string(offset) + ")";
      const std::int64_t r = rows_, c = columns;
      rows.push_back({"torch.tril_indices" + arguments, {}, {int64}, [=](const In&) {
                        return Out{tril_indices(r, c, offset)};
                      }});
      rows.push_back({"torch.triu_indices" + arguments, {}, {int64}, [=](const In&) {
                        return Out{triu_indices(r, c, offset)};
                      }});
    }
  }
  rows.push_back({"torch.tril_indices(3, 4, dtype=torch.int32)", {}, {int64}, [](const In&) {
                    return Out{tril_indices(3, 4, 0, {.dtype = int32})};
                  }});
  rows.push_back({"torch.triu_indices(3, 4, dtype=torch.float32)", {}, {int64}, [](const In&) {
                    return Out{triu_indices(3, 4, 0, {.dtype = float32})};
                  }});
  for (const Sizes& sizes : {Sizes{}, Sizes{5}, Sizes{3, 4}, Sizes{0, 2}}) {
    rows.push_back({"a.argwhere()", {sizes}, kEvery, [](const In& in) { return Out{in[0].argwhere()}; }});
    rows.push_back({"torch.argwhere(a)", {sizes}, kReal, [](const In& in) { return Out{argwhere(in[0])}; }});
  }
  test::expect_as_torch(rows);
}

TEST(TorchShapes, Meshgrid) {
  std::vector<TorchRow> rows;
  for (const std::string indexing : {"ij", "xy"}) {
    const std::string end = "indexing='" + indexing + "')";
    rows.push_back({"torch.meshgrid(a, b, " + end,
                    {{2}, {3}},
                    kEvery,
                    [=](const In& in) {
                      return Out{meshgrid({in[0], in[1]}, indexing)};
                    },
                    0,
                    4});
    rows.push_back({"torch.meshgrid(a, b, c, " + end,
                    {{2}, {}, {4}},
                    kReal,
                    [=](const In& in) {
                      return Out{meshgrid({in[0], in[1], in[2]}, indexing)};
                    },
                    0,
                    8});
    rows.push_back({"torch.meshgrid(a, " + end, {{2}}, kReal, [=](const In& in) {
                      return Out{meshgrid({in[0]}, indexing)};
                    }});
    rows.push_back({"torch.meshgrid(a, b, " + end, {{2, 2}, {3}}, kReal, [=](const In& in) {
                      return Out{meshgrid({in[0], in[1]}, indexing)};
                    }});
    rows.push_back({"torch.meshgrid(a, b.double(), " + end, {{2}, {3}}, {float32}, [=](const In& in) {
                      return Out{meshgrid({in[0], in[1].to_double()}, indexing)};
                    }});
  }
  test::expect_as_torch(rows);
}

TEST(Shapes, ErrorsNameWhatIsWrong) {
  const Tensor x = ones({2, 3});
  expect_error(
      [&] {
        pad(x, {1, 1}, "reflect", 2);
      },
      "pad: value must be left out unless the mode is \"constant\", not 2.000000");
  expect_error([&] { pad(x, {1}); },
               "pad: pads must be two for each dimension of [2, 3] or for its last ones, not [1]");
  constexpr std::int64_t kLarge = std::int64_t{1} << 32;
  expect_error(
      [&] {
        pad(x, {kLarge, 0, kLarge, 0});
      },
      "pad: the number of elements must be below 2^63, not that of shape [4294967298, 4294967299]");
  expect_error(
      [&] {
        pad(x, {1, 1}, "wrap");
      },
      "pad: mode must be \"constant\", \"reflect\", \"replicate\" or \"circular\", not \"wrap\"");
  expect_error(
      [&] {
        pad(ones({1, 1, 3}), {4, 0}, "circular");
      },
      "pad: pads must be no more than dimension 2 has, 3, not 4");
  expect_error(
      [&] {
        pad(x, {3, 0}, "reflect");
      },
      "pad: pads must be less than the size of dimension 1, 3, not [3, 0]");
  expect_error(
      [&] {
        pad(x, {-2, -2});
      },
      "pad: pads must be no more taken away than dimension 1 has, 3, not [-2, -2]");
  expect_error([&] { x.unfold(1, 4, 1); }, "unfold: size must be from 0 to that of the dimension, 3, not 4");
  expect_error(
      [&] {
        x.movedim({0}, {0, 1});
      },
      "movedim: source and destination must be of the same length, not [0] and [0, 1]");
  expect_error([&] { diag(ones({})); }, "diag: the tensor must be a vector or a matrix, not of shape []");
  expect_error([&] { tril_indices(-1, 2); },
               "tril_indices: the numbers of rows and columns must be from 0 to 2^60, not -1 and 2");
  expect_error([&] { meshgrid({}); }, "meshgrid: the list of tensors must be of one or more, not empty");
  expect_error([&] { meshgrid({ones({2})}, "yx"); },
               "meshgrid: indexing must be \"ij\" or \"xy\", not \"yx\"");
}

TEST(Shapes, WindowsShareTheirElements) {
  const Tensor x = arange(5.).requires_grad_();
  const Tensor windows = x.unfold(0, 3, 1);
  EXPECT_EQ(windows.data_ptr(), x.data_ptr());
  windows.sum().backward();
  EXPECT_TRUE(x.grad().equal(tensor({1., 2, 3, 2, 1})));
}

TEST(Shapes, ListsGoBackAndForth) {
  for (const Dtype dtype : {float64, float32, bfloat16, int64, uint8, bool_}) {
    for (const Sizes& sizes : {Sizes{2, 3}, Sizes{3}, Sizes{2, 0}, Sizes{2, 1, 2}}) {
      const Tensor x = test::filled(sizes, dtype);
      const NestedList list = x.tolist();
      EXPECT_EQ(list.items().size(), static_cast<std::size_t>(sizes[0]));
      EXPECT_TRUE(tensor(list, {.dtype = dtype}).equal(x)) << name(dtype) << to_string(sizes);
    }
  }
  EXPECT_FALSE(tensor(2.5).tolist().is_list());
  EXPECT_EQ(tensor(2.5).tolist().value().to_double(), 2.5);
  EXPECT_TRUE(tensor(true).tolist().value().is_boolean());
  EXPECT_TRUE(tensor({{1, 2}, {3, 4}}).t().tolist().items()[0].items()[1].value().is_integer());
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).t().tolist().items()[0].items()[1].value().to_int64(), 3);
}

}  // namespace
}  // namespace lectern
