#include <functional>

#include <gtest/gtest.h>

#include "nn/embedding.h"
#include "nn/gpt.h"
#include "nn/init.h"
#include "nn/linear.h"
#include "nn/made.h"
#include "nn/multihead_attention.h"
#include "nn/normalization.h"
#include "nn/transformer_block.h"
#include "ops/torch_reference.h"

// Parameters as they begin, beside PyTorch's: the same bits.

namespace lectern::nn {
namespace {

using test::In;
using test::kReal;
using test::kWithGradients;
using test::Out;
using test::TorchRow;

TEST(TorchInit, FillsAsPyTorchDoes) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& call, const std::vector<Dtype>& dtypes,
                       const std::function<void(const Tensor&)>& fill) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{{7, 5}, {3, 4, 2}, {5}, {0, 3}}) {
      rows.push_back({"[torch.manual_seed(5), (lambda w: torch.nn.init." + call +
                          ")(torch.empty(a.shape, dtype=a.dtype))][1]",
                      {sizes},
                      dtypes,
                      [=](const In& in) {
                        const test::OnCpu on_cpu;
                        const Parameter tensor(empty(in[0].sizes(), {.dtype = in[0].dtype()}));
                        manual_seed(5);
                        fill(tensor);
                        return Out{tensor.detach()};
                      },
                      0,
                      0,
                      false});
    }
  };
  add("uniform_(w, -1, 2)", kWithGradients, [](const Tensor& w) { init::uniform_(w, -1, 2); });
  add("normal_(w, 1, 2)", kWithGradients, [](const Tensor& w) { init::normal_(w, 1, 2); });
  add("trunc_normal_(w, 0.5, 2, -1, 3)", kReal,
      [](const Tensor& w) { init::trunc_normal_(w, 0.5, 2, -1, 3); });
  add("trunc_normal_(w, std=0.02)", kReal, [](const Tensor& w) { init::trunc_normal_(w, 0, 0.02); });
  add("constant_(w, 0.3)", kWithGradients, [](const Tensor& w) { init::constant_(w, 0.3); });
  add("ones_(w)", kWithGradients, [](const Tensor& w) { init::ones_(w); });
  add("zeros_(w)", kWithGradients, [](const Tensor& w) { init::zeros_(w); });
  add("eye_(w)", kWithGradients, [](const Tensor& w) { init::eye_(w); });
  add("xavier_uniform_(w, 2)", kWithGradients, [](const Tensor& w) { init::xavier_uniform_(w, 2); });
  add("xavier_normal_(w)", kWithGradients, [](const Tensor& w) { init::xavier_normal_(w); });
  add("kaiming_uniform_(w)", kWithGradients, [](const Tensor& w) { init::kaiming_uniform_(w); });
  add("kaiming_uniform_(w, 0.5, 'fan_out')", kReal,
      [](const Tensor& w) { init::kaiming_uniform_(w, {.a = 0.5, .mode = "fan_out"}); });
  add("kaiming_normal_(w, nonlinearity='relu')", kWithGradients,
      [](const Tensor& w) { init::kaiming_normal_(w, {.nonlinearity = "relu"}); });
  add("kaiming_normal_(w, 3, 'fan_out', 'tanh')", kReal,
      [](const Tensor& w) { init::kaiming_normal_(w, {.a = 3, .mode = "fan_out", .nonlinearity = "tanh"}); });
  add("kaiming_normal_(w, mode='fan')", {float32},
      [](const Tensor& w) { init::kaiming_normal_(w, {.mode = "fan"}); });
  for (const std::string name : {"linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu", "gelu"}) {
    rows.push_back(
        {"torch.tensor(torch.nn.init.calculate_gain('" + name + "')).double()",
         {},
         {float64},
         [=](const In&) { return Out{tensor(init::calculate_gain(name), {.device = cpu}).to(float64)}; },
         0,
         0,
         false});
  }
  test::expect_as_torch(rows);
}

TEST(TorchInit, ModulesBeginAsInPyTorch) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& module, const std::function<Out(const TensorOptions&)>& drawn) {
    rows.push_back({"modules.drawn(lambda: " + module + ")",
                    {{}},
                    kWithGradients,
                    [=](const In& in) {
                      manual_seed(1);
                      return drawn({.dtype = in[0].dtype(), .device = cpu});
                    },
                    0,
                    0,
                    false});
  };
  add("torch.nn.Linear(5, 3, dtype=a.dtype)", [](const TensorOptions& of) {
    return Linear(5, 3, {.dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.Linear(50, 30, bias=False, dtype=a.dtype)", [](const TensorOptions& of) {
    return Linear(50, 30, {.bias = false, .dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.Linear(0, 3, dtype=a.dtype)", [](const TensorOptions& of) {
    return Linear(0, 3, {.dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.Embedding(7, 4, dtype=a.dtype)", [](const TensorOptions& of) {
    return Embedding(7, 4, {.dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.Embedding(7, 4, padding_idx=-2, dtype=a.dtype)", [](const TensorOptions& of) {
    return Embedding(7, 4, {.padding_idx = -2, .dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.LayerNorm((2, 3), dtype=a.dtype)", [](const TensorOptions& of) {
    return LayerNorm({2, 3}, {.dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.MultiheadAttention(8, 2, dtype=a.dtype)", [](const TensorOptions& of) {
    return MultiheadAttention(8, 2, {.dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.MultiheadAttention(8, 2, bias=False, dtype=a.dtype)", [](const TensorOptions& of) {
    return MultiheadAttention(8, 2, {.bias = false, .dtype = of.dtype, .device = of.device}).parameters();
  });
  add("torch.nn.MultiheadAttention(8, 2, kdim=6, vdim=10, dtype=a.dtype)", [](const TensorOptions& of) {
    return MultiheadAttention(8, 2, {.kdim = 6, .vdim = 10, .dtype = of.dtype, .device = of.device})
        .parameters();
  });
  add("torch.nn.TransformerEncoderLayer(8, 2, 12, dtype=a.dtype)", [](const TensorOptions& of) {
    return TransformerBlock(8, 2, {.dim_feedforward = 12, .dtype = of.dtype, .device = of.device})
        .parameters();
  });
  test::expect_as_torch(rows);
}

TEST(TorchInit, AGptBeginsAsInPyTorch) {
  test::expect_as_torch({{"modules.drawn(lambda: modules.GPT(11, 6, 8, 2, 2))",
                          {},
                          {float32},
                          [](const In&) {
                            manual_seed(1);
                            return GPT({.vocab_size = 11,
                                        .context_length = 6,
                                        .width = 8,
                                        .layers = 2,
                                        .heads = 2,
                                        .device = cpu})
                                .parameters();
                          },
                          0,
                          0,
                          false}});
}

}  // namespace
}  // namespace lectern::nn
