#include "record/step_memory.h"

#include <vector>

#include <gtest/gtest.h>

namespace lectern::record {
namespace {

MemoryUse use;

constexpr CostMeter kMeter{.read_counters = nullptr,
                           .read_memory =
                               [](std::span<MemoryUse> uses) {
                                 uses[0] = use;
                                 return std::size_t{1};
                               },
                           .find_ceilings = nullptr,
                           .find_device = nullptr};

/// What a step reports that is held back, since those before it may be left out.
std::vector<CategoryBytes> held_step(StepMemory& memory, const CategoryBytes& categories) {
  use = {.device = "cpu", .categories = categories};
  memory.take();
  std::vector<CategoryBytes> reported;
  memory.report_categories(true,
                           [&](std::string_view, const CategoryBytes& bytes) { reported.push_back(bytes); });
  return reported;
}

TEST(StepMemory, OfHeldStepsHasNoCategoriesBeforeThereWereAny) {
  const CostMeter* const before = std::exchange(cost_meter, &kMeter);
  StepMemory memory;
  const CategoryBytes none{}, some{0, 8, 0, 0};
  EXPECT_TRUE(held_step(memory, none).empty());
  EXPECT_EQ(held_step(memory, some), (std::vector{some}));
  EXPECT_EQ(held_step(memory, some), (std::vector{some})) << "the step before may be left out";
  EXPECT_EQ(held_step(memory, none), (std::vector{none}));
  EXPECT_EQ(held_step(memory, none), (std::vector{none}));
  cost_meter = before;
}

}  // namespace
}  // namespace lectern::record
