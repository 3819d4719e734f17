#include "tensor/generator.h"

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<std::uint32_t> draws(Generator& generator, std::size_t count) {
  std::vector<std::uint32_t> words(count);
  std::generate(words.begin(), words.end(), [&] { return generator.random(); });
  return words;
}

TEST(Generator, IsTheStandardMersenneTwister) {
  Generator generator;
  for (const std::uint32_t seed : {0U, 42U, 5489U, 4294967295U}) {
    generator.manual_seed(seed);
    std::mt19937 standard(seed);
    for (int i = 0; i < 2000; ++i)
      ASSERT_EQ(generator.random(), standard()) << "seed " << seed << ", draw " << i;
  }
}

TEST(Generator, Random64IsTwoWordsTheFirstOneHigh) {
  Generator words, pairs;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t high = words.random();
    const std::uint64_t low = words.random();
    ASSERT_EQ(pairs.random64(), high << 32 | low);
  }
}

TEST(Generator, FillGivesWhatSingleDrawsGive) {
  kernels::Mt19937 single(7), filled(7);
  for (const std::size_t count : {1U, 623U, 624U, 625U, 3U, 2000U}) {
    std::vector<std::uint32_t> words(count);
    filled.fill(words);
    for (const std::uint32_t word : words) ASSERT_EQ(word, single.next32());
  }
}

TEST(Generator, SeedsAreTakenAsPyTorchTakesThem) {
  Generator generator;
  EXPECT_EQ(generator.initial_seed(), 67280421310721U);
  EXPECT_EQ(generator.manual_seed(-1).initial_seed(), 18446744073709551615U);
  EXPECT_EQ(generator.manual_seed(18446744073709551615U).initial_seed(), 18446744073709551615U);
  const auto high = draws(generator.manual_seed((std::int64_t{1} << 33) + 5), 5);
  EXPECT_EQ(generator.initial_seed(), (std::uint64_t{1} << 33) + 5);
  EXPECT_EQ(draws(generator.manual_seed(5), 5), high);
  const std::uint64_t chosen = generator.seed();
  EXPECT_EQ(generator.initial_seed(), chosen);
  const auto first = draws(generator, 5);
  EXPECT_NE(generator.seed(), chosen);
  EXPECT_EQ(draws(generator.manual_seed(chosen), 5), first);
}

TEST(Generator, StateBringsBackTheStreamAndTheCachedNormal) {
  for (const std::size_t before : {0U, 1U, 100U, 623U, 624U, 625U, 1248U}) {
    Generator generator;
    generator.manual_seed(11);
    draws(generator, before);
    if (before % 2 == 1) generator.stream().next_normal = 0.25;
    const Bytes state = generator.get_state();
    ASSERT_EQ(state.size(), 5056U);
    const auto next = draws(generator, 1500);
    EXPECT_NE(generator.get_state(), state);

    Generator other;
    other.set_state(state);
    EXPECT_EQ(other.get_state(), state);
    EXPECT_EQ(other.initial_seed(), 11U);
    EXPECT_EQ(other.stream().next_normal.has_value(), before % 2 == 1);
    EXPECT_EQ(draws(other, 1500), next) << "after " << before;
  }
}

TEST(Generator, SeedingForgetsTheCachedNormal) {
  Generator generator;
  const Bytes fresh = generator.manual_seed(3).get_state();
  generator.stream().next_normal = 0.5;
  EXPECT_NE(generator.get_state(), fresh);
  EXPECT_EQ(generator.manual_seed(3).get_state(), fresh);
}

TEST(Generator, RefusesBytesThatAreNoState) {
  Generator generator;
  EXPECT_THROW(generator.set_state(Bytes(5055)), TensorError);
  EXPECT_THROW(generator.set_state(Bytes(5056)), TensorError);
  Bytes state = generator.get_state();
  state[16] = 7;  // `next` without `left`
  EXPECT_THROW(generator.set_state(state), TensorError);
  EXPECT_EQ(draws(generator, 3), [] {
    Generator fresh;
    return draws(fresh, 3);
  }());
}

TEST(Generator, ACopyGoesOnByItself) {
  Generator generator;
  draws(generator, 10);
  Generator copy = generator;
  const auto next = draws(generator, 10);
  EXPECT_EQ(draws(copy, 10), next);
  generator.manual_seed(9);
  copy = generator;
  EXPECT_EQ(copy.get_state(), generator.get_state());
}

TEST(Generator, CudaCountsWhatThreadsDrew) {
  Generator generator{Device(Device::Type::cuda)};
  generator.manual_seed(-2);
  EXPECT_EQ(generator.advance(8), (kernels::PhiloxState{18446744073709551614U, 0}));
  EXPECT_EQ(generator.advance(4), (kernels::PhiloxState{18446744073709551614U, 8}));
  const Bytes state = generator.get_state();
  ASSERT_EQ(state.size(), 16U);
  EXPECT_EQ(state[0], 254);
  EXPECT_EQ(state[8], 12);
  Generator other{Device(Device::Type::cuda)};
  other.set_state(state);
  EXPECT_EQ(other.advance(4), (kernels::PhiloxState{18446744073709551614U, 12}));
  EXPECT_THROW(generator.random(), TensorError);
  EXPECT_THROW(Generator().advance(4), TensorError);
  EXPECT_THROW(other.set_state(Generator().get_state()), TensorError);
}

TEST(Generator, ManualSeedSeedsAllDefaultGenerators) {
  const Device first(Device::Type::cuda, 0), second(Device::Type::cuda, 1);
  default_generator(first).advance(4);
  EXPECT_EQ(&manual_seed(17), &default_generator());
  EXPECT_EQ(default_generator().initial_seed(), 17U);
  EXPECT_EQ(default_generator(first).advance(4), (kernels::PhiloxState{17, 0}));
  EXPECT_EQ(default_generator(second).initial_seed(), 17U);
  EXPECT_EQ(default_generator(first).advance(0), (kernels::PhiloxState{17, 4}));
}

TEST(Generator, MakingADefaultGeneratorIsNoUse) {
  struct Counter final : GeneratorWatch {
    int uses = 0;
    void before_use(Generator&) override { ++uses; }
    void before_destruction(const Generator&) override {}
  };
  manual_seed(23);
  Counter counter;
  Generator& fresh = default_generator(Device(Device::Type::cuda, 5));
  EXPECT_EQ(counter.uses, 0);
  EXPECT_EQ(fresh.initial_seed(), 23U);
  EXPECT_EQ(counter.uses, 1);
}

TEST(Generator, ThreadsTakeTurns) {
  Generator generator;
  std::vector<std::uint32_t> drawn[4];
  std::vector<std::thread> threads;
  for (auto& words : drawn) threads.emplace_back([&] { words = draws(generator, 5000); });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uint32_t> all;
  for (const auto& words : drawn) all.insert(all.end(), words.begin(), words.end());
  Generator alone;
  std::vector<std::uint32_t> expected = draws(alone, all.size());
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace lectern
