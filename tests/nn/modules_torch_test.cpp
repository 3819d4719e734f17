#include <gtest/gtest.h>

#include "nn/activations.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "nn/made.h"
#include "nn/multihead_attention.h"
#include "nn/normalization.h"
#include "nn/sequential.h"
#include "nn/transformer_block.h"
#include "ops/join.h"
#include "ops/torch_reference.h"
#include "ops/triangle.h"

// What modules with the same parameters make of the same inputs, with the gradients of both, beside PyTorch.

namespace lectern::nn {
namespace {

using test::In;
using test::kReal;
using test::learnt;
using test::made;
using test::Out;
using test::TorchRow;

// So many roundings add up at most in a layer, and in several.
constexpr double kLayer = 32, kBlocks = 128;

TorchRow row(const std::string& module, const std::string& inputs, const std::vector<Sizes>& shapes,
             const test::Operation& operation, double factor = kLayer) {
  return {"modules.learnt(modules.made(lambda: " + module + ", a.dtype), " + inputs + ")",
          shapes,
          kReal,
          operation,
          factor,
          factor};
}

/// True where a key comes after the query.
Tensor later(const Tensor& like, std::int64_t size) {
  return ones({size, size}, {.dtype = bool_, .device = like.device()}).triu(1);
}

/// Of the entries of the state, as numbers.
Tensor names(const Module& module) {
  std::vector<std::int64_t> characters;
  for (const auto& [name, entry] : module.state_dict()) {
    if (!characters.empty()) characters.push_back(',');
    characters.insert(characters.end(), name.begin(), name.end());
  }
  return tensor(characters);
}

TEST(TorchModules, Layers) {
  std::vector<TorchRow> rows;
  rows.push_back(row("torch.nn.Linear(5, 3)", "a", {{2, 4, 5}}, [](const In& in) {
    const auto module = made<Linear>(in[0], 5, 3);
    return learnt(module, [&] { return module(in[0]); });
  }));
  rows.push_back(row("torch.nn.Linear(5, 3, bias=False)", "a", {{5}}, [](const In& in) {
    const auto module = made<Linear>(in[0], 5, 3, LinearOptions{.bias = false});
    return learnt(module, [&] { return module(in[0]); });
  }));
  rows.push_back(row("torch.nn.Linear(5, 3)", "a", {{2, 4}}, [](const In& in) {
    const auto module = made<Linear>(in[0], 5, 3);
    return learnt(module, [&] { return module(in[0]); });
  }));
  rows.push_back(row("torch.nn.Embedding(7, 4)", "modules.tokens(a, 7)", {{3, 5}}, [](const In& in) {
    const auto module = made<Embedding>(in[0], 7, 4);
    return learnt(module, [&] { return module(test::tokens(in[0], 7)); });
  }));
  rows.push_back(
      row("torch.nn.Embedding(7, 4, padding_idx=2)", "modules.tokens(a, 7)", {{3, 5}}, [](const In& in) {
        const auto module = made<Embedding>(in[0], 7, 4, EmbeddingOptions{.padding_idx = 2});
        return learnt(module, [&] { return module(test::tokens(in[0], 7)); });
      }));
  rows.push_back(
      row("torch.nn.Embedding(7, 4, max_norm=1.5)", "modules.tokens(a, 7)", {{3, 5}}, [](const In& in) {
        const auto module = made<Embedding>(in[0], 7, 4, EmbeddingOptions{.max_norm = 1.5});
        return learnt(module, [&] { return module(test::tokens(in[0], 7)); });
      }));
  rows.push_back(row("torch.nn.Embedding(7, 4, max_norm=1, norm_type=1)", "modules.tokens(a, 7)", {{3, 5}},
                     [](const In& in) {
                       const auto module =
                           made<Embedding>(in[0], 7, 4, EmbeddingOptions{.max_norm = 1, .norm_type = 1});
                       return learnt(module, [&] { return module(test::tokens(in[0], 7)); });
                     }));
  rows.push_back(row("torch.nn.LayerNorm(6)", "modules.spread(a)", {{4, 6}}, [](const In& in) {
    const auto module = made<LayerNorm>(in[0], 6);
    return learnt(module, [&] { return module(test::spread(in[0])); });
  }));
  rows.push_back(
      row("torch.nn.LayerNorm((4, 6), eps=0.5)", "modules.spread(a)", {{3, 4, 6}}, [](const In& in) {
        const auto module = made<LayerNorm>(in[0], Sizes{4, 6}, LayerNormOptions{.eps = 0.5});
        return learnt(module, [&] { return module(test::spread(in[0])); });
      }));
  rows.push_back(row("modules.RMSNorm(6, 1e-3)", "modules.spread(a)", {{4, 6}}, [](const In& in) {
    const auto module = made<RMSNorm>(in[0], 6, RMSNormOptions{.eps = 1e-3});
    return learnt(module, [&] { return module(test::spread(in[0])); });
  }));
  rows.push_back(row(
      "torch.nn.Sequential(torch.nn.Linear(5, 9), torch.nn.GELU(), torch.nn.Linear(9, 9), torch.nn.Tanh(), "
      "torch.nn.Linear(9, 4), torch.nn.SiLU(), torch.nn.Linear(4, 4), torch.nn.Sigmoid())",
      "a", {{4, 5}}, [](const In& in) {
        const test::OnCpu on_cpu;
        manual_seed(1);
        Sequential module;
        module.push_back(Linear(5, 9));
        module.push_back(GELU());
        module.push_back(Linear(9, 9));
        module.push_back(Tanh());
        module.push_back(Linear(9, 4));
        module.push_back(SiLU());
        module.push_back(Linear(4, 4));
        module.push_back(Sigmoid());
        module.to(in[0].device(), in[0].dtype());
        return learnt(module, [&] { return module(in[0]); });
      }));
  test::expect_as_torch(rows);
}

TEST(TorchModules, Attention) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& options, const std::string& inputs,
                       const std::vector<Sizes>& shapes, const MultiheadAttentionOptions& ours,
                       const std::function<Tensor(const MultiheadAttention&, const In&)>& call) {
    rows.push_back(row("torch.nn.MultiheadAttention(8, 2" + options + ")", inputs, shapes, [=](const In& in) {
      const auto module = made<MultiheadAttention>(in[0], 8, 2, ours);
      return learnt(module, [&] { return call(module, in); });
    }));
  };
  const auto self = [](const MultiheadAttention& module, const In& in) {
    return module(in[0], in[0], in[0]);
  };
  const auto cross = [](const MultiheadAttention& module, const In& in) {
    return module(in[0], in[1], in[2]);
  };
  add("", "a, a, a", {{4, 3, 8}}, {}, self);
  add(", batch_first=True", "a, a, a", {{3, 4, 8}}, {.batch_first = true}, self);
  add(", bias=False", "a, a, a", {{4, 8}}, {.bias = false}, self);
  add("", "a, b, c", {{4, 3, 8}, {5, 3, 8}, {5, 3, 8}}, {}, cross);
  add(", batch_first=True, bias=False", "a, b, c", {{3, 4, 8}, {3, 5, 8}, {3, 5, 8}},
      {.bias = false, .batch_first = true}, cross);
  add("", "a, b, c", {{4, 3, 8}, {5, 2, 8}, {5, 2, 8}}, {}, cross);
  add("", "a, b, c", {{4, 3, 8}, {5, 3, 8}, {6, 3, 8}}, {}, cross);
  add("", "a, b, c", {{4, 3, 6}, {5, 3, 8}, {5, 3, 8}}, {}, cross);
  add(", batch_first=True", "a, a, a, attn_mask=modules.later(4)", {{3, 4, 8}}, {.batch_first = true},
      [](const MultiheadAttention& module, const In& in) {
        return module(in[0], in[0], in[0], {.is_causal = true});
      });
  add(", batch_first=True", "a, a, a, attn_mask=modules.later(4).t().logical_not()", {{3, 4, 8}},
      {.batch_first = true}, [](const MultiheadAttention& module, const In& in) {
        return module(in[0], in[0], in[0], {.attn_mask = later(in[0], 4).t().logical_not()});
      });
  add(", batch_first=True", "a, a, a, attn_mask=b > 0.5", {{3, 4, 8}, {6, 4, 4}}, {.batch_first = true},
      [](const MultiheadAttention& module, const In& in) {
        return module(in[0], in[0], in[0], {.attn_mask = in[1] > 0.5});
      });
  add(", batch_first=True", "a, a, a, attn_mask=modules.later(4), key_padding_mask=modules.later(4)[1:]",
      {{3, 4, 8}}, {.batch_first = true}, [](const MultiheadAttention& module, const In& in) {
        const Tensor mask = later(in[0], 4);
        return module(in[0], in[0], in[0], {.attn_mask = mask, .key_padding_mask = mask.slice(0, 1)});
      });
  add("", "a, a, a, key_padding_mask=modules.later(4)[1]", {{4, 8}}, {},
      [](const MultiheadAttention& module, const In& in) {
        return module(in[0], in[0], in[0], {.key_padding_mask = later(in[0], 4)[1]});
      });
  test::expect_as_torch(rows);
}

TEST(TorchModules, AttentionOfOtherFeatures) {
  const std::vector<Sizes> shapes = {{4, 3, 8}, {5, 3, 6}, {5, 3, 10}};
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& options, const MultiheadAttentionOptions& ours,
                       const std::vector<Sizes>& sizes) {
    rows.push_back(
        row("torch.nn.MultiheadAttention(8, 2" + options + ")", "a, b, c", sizes, [=](const In& in) {
          const auto module = made<MultiheadAttention>(in[0], 8, 2, ours);
          return learnt(module, [&] { return module(in[0], in[1], in[2]); });
        }));
  };
  add(", kdim=6, vdim=10", {.kdim = 6, .vdim = 10}, shapes);
  add(", kdim=6, vdim=10, bias=False", {.bias = false, .kdim = 6, .vdim = 10}, shapes);
  add(", kdim=6, batch_first=True", {.kdim = 6, .batch_first = true}, {{3, 4, 8}, {3, 5, 6}, {3, 5, 8}});
  add(", vdim=10", {.vdim = 10}, {{4, 8}, {5, 8}, {5, 10}});
  add(", kdim=0", {.kdim = 0}, {{4, 8}, {5, 0}, {5, 8}});
  add(", kdim=8, vdim=8", {.kdim = 8, .vdim = 8}, {{4, 8}, {5, 8}, {5, 8}});
  add(", kdim=6, vdim=10", {.kdim = 6, .vdim = 10}, {{4, 3, 8}, {5, 3, 6}, {6, 3, 10}});
  add(", kdim=6", {.kdim = 6}, {{4, 3, 8}, {5, 3, 8}, {5, 3, 8}});
  rows.push_back(
      {"modules.names(lambda: torch.nn.MultiheadAttention(8, 2, kdim=6))", {}, {int64}, [](const In&) {
         return Out{names(MultiheadAttention(8, 2, {.kdim = 6}))};
       }});
  test::expect_as_torch(rows);
}

TEST(TorchModules, AttentionWithMasksThatAreAdded) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& options, const std::vector<Sizes>& shapes,
                       const MultiheadAttentionOptions& ours,
                       const std::function<AttentionMasks(const In&)>& hidden) {
    rows.push_back(row("torch.nn.MultiheadAttention(8, 2, batch_first=True)", "a, a, a, " + options, shapes,
                       [=](const In& in) {
                         const auto module = made<MultiheadAttention>(in[0], 8, 2, ours);
                         return learnt(module, [&] { return module(in[0], in[0], in[0], hidden(in)); });
                       }));
  };
  const MultiheadAttentionOptions ours{.batch_first = true};
  add("attn_mask=b", {{3, 4, 8}, {4, 4}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1]}; });
  add("attn_mask=b", {{3, 4, 8}, {6, 4, 4}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1]}; });
  add("attn_mask=b", {{4, 8}, {2, 4, 4}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1]}; });
  add("attn_mask=b, key_padding_mask=modules.later(4)[1:]", {{3, 4, 8}, {4, 4}}, ours, [](const In& in) {
    return AttentionMasks{.attn_mask = in[1], .key_padding_mask = later(in[0], 4).slice(0, 1)};
  });
  add("attn_mask=b.masked_fill(modules.later(4), -inf)", {{3, 4, 8}, {4, 4}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1], .is_causal = true}; });
  add("key_padding_mask=b", {{3, 4, 8}, {3, 4}}, ours,
      [](const In& in) { return AttentionMasks{.key_padding_mask = in[1]}; });
  add("attn_mask=b", {{3, 4, 8}, {4, 3}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1]}; });
  add("attn_mask=b.long()", {{3, 4, 8}, {4, 4}}, ours,
      [](const In& in) { return AttentionMasks{.attn_mask = in[1].to(int64)}; });
  test::expect_as_torch(rows);
}

TEST(TorchModules, AttentionAndItsWeights) {
  std::vector<TorchRow> rows;
  const auto add = [&](const std::string& options, const std::string& inputs,
                       const std::vector<Sizes>& shapes, const MultiheadAttentionOptions& ours,
                       const std::function<AttentionMasks(const In&)>& hidden, bool average = true) {
    const std::string all = average ? "" : ", average_attn_weights=False";
    rows.push_back(row("modules.WithWeights(8, 2" + options + ")", inputs + all, shapes, [=](const In& in) {
      const auto module = made<MultiheadAttention>(in[0], 8, 2, ours);
      return learnt(module, [&] {
        const auto [output, weights] = module.with_weights(in[0], in[1], in[1], hidden(in), average);
        return cat({output.flatten(), weights.flatten()});
      });
    }));
  };
  const auto all_seen = [](const In&) { return AttentionMasks{}; };
  add("", "a, b, b", {{4, 3, 8}, {5, 3, 8}}, {}, all_seen);
  add("", "a, b, b", {{4, 3, 8}, {5, 3, 8}}, {}, all_seen, false);
  add(", kdim=6, vdim=6, batch_first=True", "a, b, b", {{3, 4, 8}, {3, 5, 6}},
      {.kdim = 6, .vdim = 6, .batch_first = true}, all_seen, false);
  add("", "a, b, b, attn_mask=c", {{4, 8}, {5, 8}, {4, 5}}, {},
      [](const In& in) { return AttentionMasks{.attn_mask = in[2]}; });
  add(
      "", "a, b, b, attn_mask=modules.later(4)", {{4, 8}, {4, 8}}, {},
      [](const In&) { return AttentionMasks{.is_causal = true}; }, false);
  test::expect_as_torch(rows);
}

TEST(TorchModules, Blocks) {
  std::vector<TorchRow> rows;
  rows.push_back(row(
      "modules.block(8, 2)", "modules.spread(a)", {{3, 4, 8}},
      [](const In& in) {
        const auto module = made<TransformerBlock>(in[0], 8, 2);
        return learnt(module, [&] { return module(test::spread(in[0])); });
      },
      kBlocks));
  rows.push_back(row(
      "modules.block(8, 4)", "modules.spread(a), modules.later(6)", {{2, 6, 8}},
      [](const In& in) {
        const auto module = made<TransformerBlock>(in[0], 8, 4);
        return learnt(module, [&] { return module(test::spread(in[0]), {.is_causal = true}); });
      },
      kBlocks));
  test::expect_as_torch(rows);
}

TEST(TorchModules, Gpt) {
  const GPTConfig config{.vocab_size = 11, .context_length = 9, .width = 8, .layers = 3, .heads = 2};
  std::vector<TorchRow> rows;
  for (const Sizes& sizes : std::initializer_list<Sizes>{{2, 9}, {1, 1}, {3, 5}}) {
    rows.push_back(row(
        "modules.GPT(11, 9, 8, 3, 2)", "modules.tokens(a, 11)", {sizes},
        [=](const In& in) {
          const auto module = made<GPT>(in[0], config);
          return learnt(module, [&] { return module(test::tokens(in[0], 11)); });
        },
        kBlocks));
  }
  rows.push_back({"modules.names(lambda: modules.GPT(11, 9, 8, 3, 2))", {}, {int64}, [=](const In&) {
                    return Out{names(GPT(config))};
                  }});
  test::expect_as_torch(rows);
}

TEST(TorchModules, Dropout) {
  if (default_device().is_cuda()) GTEST_SKIP() << "its random numbers are others";
  const GPTConfig config{
      .vocab_size = 11, .context_length = 6, .width = 8, .layers = 2, .heads = 2, .dropout = 0.2};
  test::expect_as_torch({
      row("torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout(0.3))", "a", {{40, 5}},
          [](const In& in) {
            const auto layer = made<Linear>(in[0], 5, 3);
            return learnt(layer, [&] { return Dropout(0.3)(layer(in[0])); });
          }),
      row("torch.nn.MultiheadAttention(8, 2, dropout=0.3, batch_first=True)",
          "a, b, b, attn_mask=modules.later(5)[1:]", {{3, 4, 8}, {3, 5, 8}},
          [](const In& in) {
            const auto module = made<MultiheadAttention>(
                in[0], 8, 2, MultiheadAttentionOptions{.dropout = 0.3, .batch_first = true});
            const Tensor mask = later(in[0], 5).slice(0, 1);
            return learnt(module, [&] { return module(in[0], in[1], in[1], {.attn_mask = mask}); });
          }),
      row("modules.WithWeights(8, 2, dropout=0.3)", "a, b, b", {{4, 3, 8}, {5, 3, 8}},
          [](const In& in) {
            const auto module =
                made<MultiheadAttention>(in[0], 8, 2, MultiheadAttentionOptions{.dropout = 0.3});
            return learnt(module, [&] {
              const auto [output, weights] = module.with_weights(in[0], in[1], in[1]);
              return cat({output.flatten(), weights.flatten()});
            });
          }),
      row(
          "modules.GPT(11, 6, 8, 2, 2, 0.2)", "modules.tokens(a, 11)", {{2, 6}},
          [=](const In& in) {
            const auto module = made<GPT>(in[0], config);
            return learnt(module, [&] { return module(test::tokens(in[0], 11)); });
          },
          kBlocks),
      row(
          "modules.GPT(11, 6, 8, 2, 2, 0.2).eval()", "modules.tokens(a, 11)", {{2, 6}},
          [=](const In& in) {
            auto module = made<GPT>(in[0], config);
            module.eval();
            return learnt(module, [&] { return module(test::tokens(in[0], 11)); });
          },
          kBlocks),
  });
}

}  // namespace
}  // namespace lectern::nn
