#include "kernels/cpu/optimizer_blocks.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/other_isas.h"

// The steps of optimizers and the norms of gradients on every instruction set: the same bits.

namespace lectern::kernels::cpu {
namespace {

constexpr std::int64_t kBlockLengths[] = {0, 1, 15, 63, 64, 65, 1000};

template <typename T>
std::vector<T> random_elements(std::int64_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, 3);
  std::vector<T> made(static_cast<std::size_t>(count));
  for (T& number : made) number = static_cast<T>(normal(engine));
  return made;
}

/// A parameter and its states after two steps.
template <typename T>
std::vector<std::vector<T>> updated(const RealOptimizerBlocks<T>& blocks, UpdateRule rule,
                                    const void* settings, std::int64_t count) {
  std::vector<std::vector<T>> arrays{random_elements<T>(count, 1)};
  const std::vector<T> grad = random_elements<T>(count, 2);
  for (int k = 0; k < states_per_element(rule); ++k)
    arrays.emplace_back(static_cast<std::size_t>(count), static_cast<T>(0.5));
  for (const double step : {1., 2.}) {
    Update of{};
    of.settings = settings;
    of.factor = -0.5;
    of.count.step = step;
    UpdateBlock<T> block{arrays[0].data(), grad.data(), {}, count};
    for (std::size_t k = 1; k < arrays.size(); ++k) block.states[k - 1] = arrays[k].data();
    blocks.update[static_cast<std::size_t>(rule)](block, of);
  }
  return arrays;
}

template <typename T, typename Settings>
void expect_same_updates(UpdateRule rule, const Settings& settings) {
  for (const std::int64_t count : kBlockLengths) {
    const auto expected = updated(optimizer_blocks(Isa::portable).get<T>(), rule, &settings, count);
    if (count > 0) {
      EXPECT_NE(expected[0], random_elements<T>(count, 1));
      for (const T number : expected[0]) ASSERT_TRUE(std::isfinite(number));
    }
    for (const Isa isa : other_isas())
      EXPECT_EQ(updated(optimizer_blocks(isa).get<T>(), rule, &settings, count), expected) << count;
  }
}

const SgdSettings kSgd{.lr = 0.1, .weight_decay = 0.01, .momentum = 0.9, .dampening = 0.5, .nesterov = true};
const AdagradSettings kAdagrad{.lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.01, .eps = 1e-8};
const RmspropSettings kRmsprop{.lr = 0.1, .alpha = 0.5, .eps = 1e-3, .weight_decay = 0.01, .momentum = 0.9};
const AdamSettings kAdam{.lr = 0.1, .beta1 = 0.9, .beta2 = 0.99, .eps = 1e-8, .weight_decay = 0.01};
const NadamSettings kNadam{.lr = 0.1,
                           .beta1 = 0.9,
                           .beta2 = 0.99,
                           .eps = 1e-8,
                           .weight_decay = 0.01,
                           .momentum_decay = 0.004,
                           .mu_product = 1};
const LionSettings kLion{.lr = 0.1, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.01};

const SgdSettings& settings_of(const SgdSettings*) {
  return kSgd;
}
const AdagradSettings& settings_of(const AdagradSettings*) {
  return kAdagrad;
}
const RmspropSettings& settings_of(const RmspropSettings*) {
  return kRmsprop;
}
const AdamSettings& settings_of(const AdamSettings*) {
  return kAdam;
}
const NadamSettings& settings_of(const NadamSettings*) {
  return kNadam;
}
const LionSettings& settings_of(const LionSettings*) {
  return kLion;
}

TEST(OptimizerBlocks, UpdatesAgree) {
#define LECTERN_ROW(name, Functor)                                                             \
  {                                                                                            \
    SCOPED_TRACE(#name);                                                                       \
    const auto& settings = settings_of(static_cast<const Functor<float>::Settings*>(nullptr)); \
    expect_same_updates<float>(UpdateRule::name, settings);                                    \
    expect_same_updates<double>(UpdateRule::name, settings);                                   \
  }
  LECTERN_UPDATES(LECTERN_ROW)
#undef LECTERN_ROW
}

template <typename T>
void expect_same_norms() {
  for (const std::int64_t count : kBlockLengths) {
    const std::vector<T> x = random_elements<T>(count, 3);
    for (const TotalNorm kind : {TotalNorm::one, TotalNorm::two, TotalNorm::infinity}) {
      double expected = 0;
      for (const T number : x) {
        const double size = std::abs(static_cast<double>(number));
        expected = kind == TotalNorm::infinity ? std::max(expected, size)
                                               : expected + (kind == TotalNorm::two ? size * size : size);
      }
      const double portable = optimizer_blocks(Isa::portable).get<T>().norm_part(kind, x.data(), count);
      EXPECT_NEAR(portable, expected, 1e-12 * expected);
      for (const Isa isa : other_isas())
        EXPECT_EQ(optimizer_blocks(isa).get<T>().norm_part(kind, x.data(), count), portable) << count;
    }
    std::vector<T> expected = x;
    for (T& number : expected) number *= static_cast<T>(0.3);
    for (const Isa isa : all_isas()) {
      std::vector<T> scaled = x;
      optimizer_blocks(isa).get<T>().scale(scaled.data(), static_cast<T>(0.3), count);
      EXPECT_EQ(scaled, expected);
    }
  }
}

TEST(OptimizerBlocks, NormsAgree) {
  expect_same_norms<float>();
  expect_same_norms<double>();
}

/// The parameter and what is kept for it after a change, then the size of the update and other results.
template <typename T>
std::vector<T> adafactor_of(const RealOptimizerBlocks<T>& blocks, std::int64_t count, bool averages) {
  const AdafactorSettings settings{.lr = 0.1,
                                   .eps_square = 1e-30,
                                   .eps_scale = 1e-3,
                                   .clip_threshold = 1,
                                   .decay_rate = -0.8,
                                   .beta1 = 0.9,
                                   .weight_decay = 0.1,
                                   .scale_parameter = true,
                                   .relative_step = false,
                                   .warmup_init = false};
  const AdafactorChange<T> change(settings, AdafactorStep(settings, 2), 3, 5, 7);
  std::vector<T> parameter = random_elements<T>(count, 1), updates = random_elements<T>(count, 2),
                 sums = random_elements<T>(count, 3);
  const std::vector<T> grad = random_elements<T>(count, 4);
  for (T& sum : sums) sum = std::abs(sum);
  blocks.add_squares(grad.data(), static_cast<T>(0.3), count, sums.data());
  std::vector<T> roots(sums.size());
  blocks.inverse_roots(sums.data(), count, roots.data());
  const AdafactorRow<T> row{grad.data(), roots.data(), static_cast<T>(0.7), count};
  blocks.adafactor(change, row, parameter.data(), averages ? updates.data() : nullptr);
  std::vector<T> all{static_cast<T>(blocks.update_squares(row))};
  for (const std::vector<T>* part : {&parameter, &updates, &sums, &roots})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

template <typename T>
void expect_same_adafactor() {
  for (const std::int64_t count : kBlockLengths) {
    for (const bool averages : {false, true}) {
      const auto expected = adafactor_of(optimizer_blocks(Isa::portable).get<T>(), count, averages);
      for (const T number : expected) ASSERT_TRUE(std::isfinite(number));
      for (const Isa isa : other_isas())
        EXPECT_EQ(adafactor_of(optimizer_blocks(isa).get<T>(), count, averages), expected) << count;
    }
  }
}

TEST(OptimizerBlocks, AdafactorAgrees) {
  expect_same_adafactor<float>();
  expect_same_adafactor<double>();
}

TEST(OptimizerBlocks, NormsFromParts) {
  const double parts[] = {9, 16, 0, 11};
  for (const Isa isa : all_isas()) {
    const auto norm = optimizer_blocks(isa).total_norm;
    EXPECT_EQ(norm(TotalNorm::one, parts, 4), 36);
    EXPECT_EQ(norm(TotalNorm::two, parts, 4), 6);
    EXPECT_EQ(norm(TotalNorm::infinity, parts, 4), 16);
    EXPECT_EQ(norm(TotalNorm::infinity, parts, 0), 0);
  }
}

}  // namespace
}  // namespace lectern::kernels::cpu
