#include "distributed/pipeline.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "distributed/collectives.h"
#include "distributed/model.h"
#include "nn/activations.h"
#include "nn/sequential.h"
#include "ops/compare.h"
#include "ops/expect_error.h"

namespace lectern {
namespace {

using accounting::PipelineOrder;
using distributed::PipelineAction;
using distributed::PipelineSchedule;
using distributed::PipelineStage;

constexpr PipelineOrder kOrders[] = {PipelineOrder::gpipe, PipelineOrder::one_f_one_b};

std::vector<PipelineAction> actions_of(PipelineOrder order, int stage, int stages,
                                       std::int64_t microbatches) {
  return order == PipelineOrder::gpipe ? distributed::gpipe_actions(microbatches)
                                       : distributed::one_f_one_b_actions(stage, stages, microbatches);
}

/// The time that all stages take, and the most microbatches that each keeps, when a pass takes a unit of time
/// wherever and whichever it is.
struct Simulated {
  std::int64_t time = 0;
  std::vector<std::int64_t> in_flight;
};

Simulated simulate(PipelineOrder order, int stages, std::int64_t microbatches) {
  std::vector<std::vector<PipelineAction>> left;
  for (int stage = 0; stage < stages; ++stage) left.push_back(actions_of(order, stage, stages, microbatches));
  std::vector<std::int64_t> forward(left.size()), backward(left.size()), next(left.size());
  Simulated result{0, std::vector<std::int64_t>(left.size())};
  const auto is_left = [&] {
    for (std::size_t s = 0; s < left.size(); ++s) {
      if (next[s] < static_cast<std::int64_t>(left[s].size())) return true;
    }
    return false;
  };
  for (; is_left() && result.time < 1000; ++result.time) {
    const auto done_forward = forward, done_backward = backward;
    for (std::size_t s = 0; s < left.size(); ++s) {
      if (next[s] == static_cast<std::int64_t>(left[s].size())) continue;
      const PipelineAction action = left[s][static_cast<std::size_t>(next[s])];
      const bool is_forward = action.kind == PipelineAction::Kind::forward;
      const bool can = is_forward ? s == 0 || done_forward[s - 1] > action.microbatch
                                  : s + 1 == left.size() || done_backward[s + 1] > action.microbatch;
      if (!can) continue;
      ++next[s];
      ++(is_forward ? forward : backward)[s];
      result.in_flight[s] = std::max(result.in_flight[s], forward[s] - backward[s]);
    }
  }
  return result;
}

TEST(PipelineActions, BubbleAndMicrobatchesInFlightAreThoseOfTheFormulas) {
  for (const PipelineOrder order : kOrders) {
    for (const int stages : {1, 2, 4}) {
      for (const std::int64_t microbatches : {1, 3, 4, 9}) {
        const Simulated simulated = simulate(order, stages, microbatches);
        const double busy = 2. * static_cast<double>(microbatches);
        EXPECT_DOUBLE_EQ(1 - busy / static_cast<double>(simulated.time),
                         accounting::pipeline_bubble(stages, static_cast<double>(microbatches)));
        for (int stage = 0; stage < stages; ++stage)
          EXPECT_EQ(static_cast<double>(simulated.in_flight[static_cast<std::size_t>(stage)]),
                    accounting::pipeline_microbatches_in_flight(stage, stages,
                                                                static_cast<double>(microbatches), order));
      }
    }
  }
}

/// Eight layers, or some of them, of one process's values.
nn::Sequential layers(std::int64_t width, std::size_t from, std::size_t to) {
  manual_seed(5);
  nn::Sequential some;
  for (std::size_t i = 0; i < 8; ++i) {
    nn::Linear layer(width, width);
    if (i >= from && i < to) some.push_back(std::move(layer));
    if (i >= from && i < to) some.push_back(nn::Tanh());
  }
  return some;
}

Tensor loss_of_rows(const Tensor& y, const Tensor& target) {
  return mse_loss(y, target);
}

PipelineSchedule schedule_of(PipelineOrder order, const PipelineStage& stage, std::int64_t microbatches) {
  if (order == PipelineOrder::gpipe) return distributed::ScheduleGPipe(stage, microbatches, loss_of_rows);
  return distributed::Schedule1F1B(stage, microbatches, loss_of_rows);
}

RANKS_TEST(Pipeline, GradientsAreOneProcesses, 3) {
  test::join();
  constexpr std::size_t kFirst[] = {0, 3, 5, 8};  // layers of the stages
  const auto stage_number = static_cast<std::size_t>(test::rank());
  const Tensor x = test::uniform({7, 6}, float32, 1), target = test::uniform({7, 6}, float32, 2);
  for (const PipelineOrder order : kOrders) {
    const nn::Sequential own = layers(6, kFirst[stage_number], kFirst[stage_number + 1]);
    const PipelineStage stage(own);
    PipelineSchedule schedule = schedule_of(order, stage, 3);  // of 3, 2 and 2 rows
    Tensor loss;
    for (int step = 0; step < 2; ++step) loss = schedule.step(x, target);

    const nn::Sequential whole = layers(6, 0, 8);
    for (int step = 0; step < 2; ++step) {
      for (const auto& [begin, rows] : {std::pair(0, 3), std::pair(3, 2), std::pair(5, 2)})
        loss_of_rows(whole(x.narrow(0, begin, rows)), target.narrow(0, begin, rows))
            .backward(full({}, rows / 7.));
    }
    const auto expected = whole.parameters();
    const auto parameters = own.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      EXPECT_TRUE(test::same_bits(parameters[i].grad(), expected[2 * kFirst[stage_number] + i].grad())) << i;
    EXPECT_EQ(loss.defined(), stage.is_last());
    if (!stage.is_last()) continue;
    EXPECT_TRUE(loss.allclose(loss_of_rows(whole(x), target), 1e-6, 0));
  }
  distributed::destroy_process_group();
}

RANKS_TEST(Pipeline, BytesAndActivationsAreThoseOfTheFormulas, 4) {
  test::join();
  constexpr std::int64_t kWidth = 16, kMicrobatches = 6, kRows = 4;
  const auto at = static_cast<std::size_t>(test::rank());
  const Tensor x = test::uniform({kMicrobatches * kRows, kWidth}, float32, 1);
  const nn::Sequential own = layers(kWidth, 2 * at, 2 * at + 2);
  const auto held = [] { return memory_by_category()[MemoryCategory::activation]; };
  std::vector<std::int64_t> during;  // the activations' bytes when a microbatch has passed
  const PipelineStage stage([&](const Tensor& in) {
    Tensor out = own(in);
    during.push_back(held());
    return out;
  });
  std::int64_t of_one = 0;
  for (const PipelineOrder order : kOrders) {
    PipelineSchedule schedule = schedule_of(order, stage, kMicrobatches);
    schedule.step(x, x);  // the first one also sends shapes
    during.clear();
    const accounting::Scope scope;
    schedule.step(x, x);
    const double boundary =
        accounting::pipeline_bytes({.width = kWidth}, static_cast<double>(x.size(0)), 1, 4);
    const auto moved = scope.cost().communication;
    const int boundaries = stage.is_first() || stage.is_last() ? 1 : 2;
    EXPECT_EQ(static_cast<double>(moved.sent + moved.received), boundaries * boundary);
    if (order == PipelineOrder::gpipe) of_one = during[1] - during[0];
    const double in_flight =
        accounting::pipeline_microbatches_in_flight(test::rank(), test::ranks(), kMicrobatches, order);
    EXPECT_EQ(static_cast<double>(*std::ranges::max_element(during) - during[0]),
              (in_flight - 1) * static_cast<double>(of_one));
  }
  if (!stage.is_first() && !stage.is_last()) {  // whose batch and loss are more than that
    const std::int64_t before = held();
    const Tensor kept = own(test::uniform({kRows, kWidth}, float32).requires_grad_());
    EXPECT_EQ(of_one, held() - before);
  }
  distributed::destroy_process_group();
}

RANKS_TEST(Pipeline, WrongUses, 2) {
  test::join();
  const nn::Linear layer(3, 3);
  const PipelineStage stage(layer);
  EXPECT_PROBLEM(schedule_of(PipelineOrder::gpipe, stage, 0),
                 "the number of microbatches must be 1 or more, not 0");
  PipelineSchedule schedule = schedule_of(PipelineOrder::one_f_one_b, stage, 4);
  EXPECT_PROBLEM(schedule.step(), stage.is_first() ? "step() of this stage needs x" : "needs target");
  const Tensor few = ones({3, 3});
  EXPECT_PROBLEM(schedule.step(few, few), "of shape [3, 3] can't be divided into 4 microbatches");
  const Tensor batch = ones({4, 3}), larger = ones({8, 3});
  schedule.step(batch, batch);
  EXPECT_PROBLEM(schedule.step(larger, larger), "float32 [2, 3]");  // of other shapes than before
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
