#include "nn/lstm.h"

#include <gtest/gtest.h>

#include "device/counters.h"
#include "nn/made.h"
#include "ops/expect_error.h"
#include "ops/join.h"
#include "ops/random.h"
#include "ops/torch_reference.h"

namespace lectern::nn {
namespace {

using test::expect_error;
using test::In;
using test::kReal;
using test::learnt;
using test::made;
using test::Out;
using test::TorchRow;

/// So many roundings add up at most.
constexpr double kRoundings = 128;

/// A row for a module of 5 inputs and a hidden size of 4; inputs after the first are the states.
TorchRow row(const std::string& options, const std::vector<Sizes>& shapes, const LSTMOptions& ours) {
  const std::string inputs = shapes.size() == 1 ? "a" : "a, b, c";
  return {
      "modules.learnt(modules.made(lambda: modules.LSTM(5, 4" + options + "), a.dtype), " + inputs + ")",
      shapes,
      kReal,
      [=](const In& in) {
        const auto module = made<LSTM>(in[0], 5, 4, ours);
        return learnt(module, [&] {
          const auto [output, state] = module(in[0], in.size() > 1 ? LSTMState{in[1], in[2]} : LSTMState{});
          return cat({output.flatten(), state.h.flatten(), state.c.flatten()});
        });
      },
      kRoundings,
      kRoundings};
}

TEST(TorchLstm, OutputsStatesAndGradients) {
  test::expect_as_torch({
      row("", {{6, 3, 5}}, {}),
      row("", {{6, 5}}, {}),
      row("", {{1, 1, 5}}, {}),
      row("", {{6, 3, 5}, {1, 3, 4}, {1, 3, 4}}, {}),
      row("", {{6, 5}, {1, 4}, {1, 4}}, {}),
      row(", bias=False, batch_first=True", {{3, 6, 5}}, {.bias = false, .batch_first = true}),
      row(", batch_first=True", {{6, 5}}, {.batch_first = true}),
      row(", batch_first=True", {{3, 6, 5}, {1, 3, 4}, {1, 3, 4}}, {.batch_first = true}),
      row(", num_layers=3", {{6, 3, 5}, {3, 3, 4}, {3, 3, 4}}, {.num_layers = 3}),
      row(", bidirectional=True", {{6, 3, 5}}, {.bidirectional = true}),
      row(", num_layers=2, bidirectional=True", {{6, 5}, {4, 4}, {4, 4}},
          {.num_layers = 2, .bidirectional = true}),
      row(", proj_size=3", {{6, 3, 5}, {1, 3, 3}, {1, 3, 4}}, {.proj_size = 3}),
      row(", num_layers=2, bidirectional=True, batch_first=True, proj_size=2, bias=False",
          {{3, 6, 5}, {4, 3, 2}, {4, 3, 4}},
          {.num_layers = 2, .bias = false, .batch_first = true, .bidirectional = true, .proj_size = 2}),
      row("", {{6, 3, 4}}, {}),
      row("", {{0, 3, 5}}, {}),
      row("", {{6, 3, 5}, {1, 2, 4}, {1, 3, 4}}, {}),
      row("", {{6, 3, 5}, {1, 3, 4}, {2, 3, 4}}, {}),
      row("", {{6, 5}, {1, 1, 4}, {1, 1, 4}}, {}),
      row("", {{2, 6, 3, 5}}, {}),
  });
}

TEST(TorchLstm, Dropout) {
  if (default_device().is_cuda()) GTEST_SKIP() << "its random numbers are others";
  const LSTMOptions ours{.num_layers = 3, .dropout = 0.3};
  test::expect_as_torch({
      row(", num_layers=3, dropout=0.3", {{6, 3, 5}}, ours),
      row(", num_layers=2, dropout=0.5, bidirectional=True", {{6, 5}},
          {.num_layers = 2, .dropout = 0.5, .bidirectional = true}),
  });
  LSTM module(5, 4, ours);
  const Tensor x = randn({6, 3, 5});
  EXPECT_FALSE(module(x).output.equal(module(x).output));
  module.eval();
  EXPECT_TRUE(module(x).output.equal(module(x).output));
}

TEST(TorchLstm, BeginsAsInPyTorch) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& options, LSTMOptions ours) {
    ours.device = cpu;
    rows.push_back({"modules.drawn(lambda: torch.nn.LSTM(5, 4" + options + "))",
                    {},
                    {float32},
                    [=](const In&) {
                      manual_seed(1);
                      return Out{LSTM(5, 4, ours).parameters()};
                    },
                    0,
                    0,
                    false});
  };
  add("", {});
  add(", bias=False", {.bias = false});
  add(", num_layers=2, bidirectional=True, proj_size=3",
      {.num_layers = 2, .bidirectional = true, .proj_size = 3});
  test::expect_as_torch(rows);
}

TEST(Lstm, IsNamedAndPrintedAsInPyTorch) {
  const LSTM module(
      5, 4, {.num_layers = 2, .batch_first = true, .dropout = 0.1, .bidirectional = true, .proj_size = 3});
  EXPECT_EQ(to_string(module),
            "LSTM(5, 4, proj_size=3, num_layers=2, batch_first=True, dropout=0.1, bidirectional=True)");
  EXPECT_EQ(to_string(LSTM(5, 4, {.bias = false})), "LSTM(5, 4, bias=False)");
  std::string names;
  for (const auto& [name, tensor] : module.state_dict()) names += name + " ";
  std::string expected;
  for (const std::string suffix : {"_l0 ", "_l0_reverse ", "_l1 ", "_l1_reverse "}) {
    for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"})
      expected += name + suffix;
  }
  EXPECT_EQ(names, expected);
}

TEST(Lstm, ContinuesFromItsState) {
  const LSTM module(5, 4, {.num_layers = 2});
  const Tensor x = randn({6, 3, 5});
  const auto [whole, end] = module(x);
  const auto [first, middle] = module(x.slice(0, 0, 2));
  const auto [second, last] = module(x.slice(0, 2), middle);
  EXPECT_TRUE(cat({first, second}).allclose(whole));
  EXPECT_TRUE(last.h.allclose(end.h));
  EXPECT_TRUE(last.c.allclose(end.c));
}

TEST(Lstm, ParametersAndOperations) {
  const std::int64_t inputs = 5, hidden = 4, projected = 3, time = 6, batch = 3;
  EXPECT_EQ(LSTM(inputs, hidden).num_parameters(), 4 * hidden * (inputs + hidden) + 8 * hidden);
  const LSTM module(inputs, hidden,
                    {.num_layers = 2, .bias = false, .bidirectional = true, .proj_size = projected});
  const std::int64_t first = 4 * hidden * (inputs + projected), second = 4 * hidden * 3 * projected;
  EXPECT_EQ(module.num_parameters(), 2 * (first + second + 2 * projected * hidden));
  const Tensor x = randn({time, batch, inputs});
  const CountScope scope;
  module(x);
  EXPECT_EQ(scope.counted().flops, time * batch * (2 * module.num_parameters() + 4 * 13 * hidden));
}

TEST(Lstm, Refuses) {
  expect_error([] { LSTM(0, 4); }, "LSTM: input_size must be positive, not 0");
  expect_error([] { LSTM(5, -1); }, "LSTM: hidden_size must be positive, not -1");
  expect_error([] { LSTM(5, 4, {.num_layers = 0}); }, "LSTM: num_layers must be positive, not 0");
  expect_error([] { LSTM(5, 4, {.dropout = 1.5}); }, "LSTM: dropout must be in [0, 1], not 1.5");
  expect_error([] { LSTM(5, 4, {.proj_size = 4}); },
               "LSTM: proj_size must be in [0, hidden_size), below 4, not 4");
  const LSTM module(5, 4);
  expect_error(
      [&] {
        module(zeros({2, 4}));
      },
      "LSTM: the shape of the inputs must be [time, batch, 5], or without the batch, not [2, 4]");
  expect_error([&] { module(zeros({0, 3, 5})); }, "LSTM: there are no time steps");
  expect_error(
      [&] {
        module(zeros({2, 3, 5}), {.h = zeros({1, 2, 4})});
      },
      "LSTM: the shape of h must be [1, 3, 4], not [1, 2, 4]");
}

}  // namespace
}  // namespace lectern::nn
