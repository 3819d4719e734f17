#include "nn/kv_cache.h"

#include <gtest/gtest.h>

#include "autograd/grad_mode.h"
#include "device/counters.h"
#include "nn/generate.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/extremum.h"
#include "ops/join.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::expect_error;
using test::uniform;

TEST(KeyValueCache, AttendsAsWithAllTokensAtOnce) {
  for (const std::int64_t groups : {1, 2}) {
    const Tensor query = uniform({2, 4, 7, 8}, float32), key = uniform({2, 4 / groups, 7, 8}, float32, 2);
    const Tensor value = uniform({2, 4 / groups, 7, 8}, float32, 3);
    const Tensor expected =
        scaled_dot_product_attention(query, key, value, {.is_causal = true, .enable_gqa = groups > 1});
    nn::KeyValueCache cache(2, 4 / groups, 9, 8);
    std::vector<Tensor> parts;
    for (const auto& [begin, time] :
         std::initializer_list<std::pair<std::int64_t, std::int64_t>>{{0, 3}, {3, 1}, {4, 3}}) {
      const auto part = [&, first = begin, count = time](const Tensor& x) {
        return x.narrow(2, first, count);
      };
      parts.push_back(cache.attend(part(query), part(key), part(value)));
    }
    EXPECT_EQ(cache.length(), 7);
    EXPECT_TRUE(cache.keys().equal(key));
    EXPECT_TRUE(cache.values().equal(value));
    EXPECT_TRUE(cat(parts, 2).allclose(expected, 1e-5, 1e-6));
  }
}

TEST(KeyValueCache, StaysAsItWasAfterAnError) {
  const auto heads = [](std::int64_t count, std::int64_t time) {
    return uniform({1, count, time, 2}, float32);
  };
  nn::KeyValueCache cache(1, 2, 4, 2);
  cache.append(heads(2, 1), heads(2, 1));
  expect_error([&] { cache.attend(heads(4, 2), heads(2, 1), heads(2, 1)); },
               "KeyValueCache: query must be of as many tokens as the keys, 1, not of shape [1, 4, 2, 2]");
  EXPECT_THROW(cache.attend(heads(3, 1), heads(2, 1), heads(2, 1)), TensorError);
  EXPECT_THROW(cache.attend(heads(2, 1).to(float64), heads(2, 1), heads(2, 1)), TensorError);
  EXPECT_EQ(cache.length(), 1);
}

TEST(KeyValueCache, ForgetsWhatIsTruncated) {
  const Tensor key = uniform({1, 1, 3, 2}, float32);
  nn::KeyValueCache cache(1, 1, 4, 2);
  cache.append(key, key);
  cache.truncate(1);
  EXPECT_TRUE(cache.keys().equal(key.narrow(2, 0, 1)));
  cache.append(key, key);
  EXPECT_EQ(cache.length(), 4);
  expect_error([&] { cache.append(key, key); },
               "KeyValueCache: the number of tokens must be at most max_seq_len, 4, not 7");
  expect_error([&] { cache.truncate(5); },
               "KeyValueCache: length must be from 0 to that of the tokens, 4, not 5");
  expect_error(
      [&] { cache.append(key, key.narrow(2, 0, 1)); },
      "KeyValueCache: key and value must be of shape [1, 1, time, 2], not [1, 1, 3, 2] and [1, 1, 1, 2]");
}

nn::GPT small_gpt() {
  manual_seed(3);
  return nn::GPT({.vocab_size = 31, .context_length = 24, .width = 16, .layers = 2, .heads = 4});
}

TEST(Generate, GivesWhatTheWholeModelDoes) {
  const nn::GPT model = small_gpt();
  const NoGradGuard no_grad;
  const Tensor prompt = tensor({{1, 2, 3}, {7, 30, 0}});
  Tensor expected = prompt;
  for (int i = 0; i < 12; ++i) {
    const Tensor next = argmax(model(expected).select(1, -1), -1).unsqueeze(1);
    expected = cat({expected, next}, 1);
  }
  EXPECT_TRUE(generate(model, prompt, 12, {.temperature = 0}).equal(expected));
  EXPECT_TRUE(generate(model, prompt, 0).equal(prompt));
}

TEST(Generate, DoesNotComputeTheSameAgain) {
  const nn::GPT model = small_gpt();
  const NoGradGuard no_grad;
  const auto flops = [&](std::int64_t tokens) {
    const CountScope scope;
    generate(model, tensor({{1}}), tokens, {.temperature = 0});
    return scope.counted().flops;
  };
  // A token costs the same after 10 as after 20, but for the attention to 10 more, and the sum is linear.
  const std::int64_t first = flops(10), second = flops(20) - first;
  EXPECT_LT(second, first * 5 / 4);
}

TEST(Generate, ErrorsNameWhatIsWrong) {
  const nn::GPT model = small_gpt();
  expect_error(
      [&] {
        generate(model, tensor({1, 2}), 1);
      },
      "generate: prompt must be of shape [batch, time], of one token or more, not [2]");
  expect_error(
      [&] {
        generate(model, tensor({{1, 2}}), 23);
      },
      "generate: the prompt and the new tokens must be at most context_length, 24, not 25");
  std::vector<nn::KeyValueCache> none;
  expect_error([&] { model.next_logits(tensor({{1}}), 0, none); },
               "GPT: the number of caches must be that of the blocks, 2, not 0");
}

}  // namespace
}  // namespace lectern
