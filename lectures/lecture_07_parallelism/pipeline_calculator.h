// When each stage of a pipeline computes what, for readers to try.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/parallelism.h"
#include "distributed/pipeline_actions.h"

/// A forward or backward pass of a microbatch by a stage, and when.
struct TimedPass {
  int stage;
  lectern::distributed::PipelineAction action;
  double from, to;

  bool is_backward() const { return action.kind == lectern::distributed::PipelineAction::Kind::backward; }
};

struct Timetable {
  std::vector<TimedPass> passes;
  double end = 0;                       // of the step
  double waiting = 0;                   // the share of the step in which a stage has nothing to do, on average
  std::vector<std::int64_t> most_kept;  // by stage, microbatches whose activations it holds at most
};

/// Each stage does its passes in the given order, as soon as what they need is there.
inline Timetable timetable(lectern::accounting::PipelineOrder order, int stages, std::int64_t microbatches,
                           double forward, double backward) {
  using namespace lectern;
  const auto p = static_cast<std::size_t>(stages), m = static_cast<std::size_t>(microbatches);
  std::vector<std::vector<distributed::PipelineAction>> actions;
  for (int stage = 0; stage < stages; ++stage)
    actions.push_back(order == accounting::PipelineOrder::gpipe
                          ? distributed::gpipe_actions(microbatches)
                          : distributed::one_f_one_b_actions(stage, stages, microbatches));
  constexpr double kNotYet = -1;
  std::vector<std::vector<double>> done[2];  // by direction, stage and microbatch
  for (auto& times : done) times.assign(p, std::vector<double>(m, kNotYet));
  std::vector<std::size_t> next(p, 0);
  std::vector<double> free_at(p, 0);
  Timetable result;
  result.most_kept.assign(p, 0);
  std::vector<std::int64_t> kept(p, 0);
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (std::size_t s = 0; s < p; ++s) {
      if (next[s] == actions[s].size()) continue;
      const distributed::PipelineAction action = actions[s][next[s]];
      const auto i = static_cast<std::size_t>(action.microbatch);
      const bool back = action.kind == distributed::PipelineAction::Kind::backward;
      double ready = back ? done[0][s][i] : 0;
      if (back && s + 1 < p) ready = done[1][s + 1][i];
      if (!back && s > 0) ready = done[0][s - 1][i];
      if (ready == kNotYet) continue;
      const double from = std::max(ready, free_at[s]), to = from + (back ? backward : forward);
      done[back ? 1 : 0][s][i] = free_at[s] = to;
      kept[s] += back ? -1 : 1;
      result.most_kept[s] = std::max(result.most_kept[s], kept[s]);
      result.passes.push_back({static_cast<int>(s), action, from, to});
      result.end = std::max(result.end, to);
      ++next[s];
      goes_on = true;
    }
  }
  result.waiting = 1 - static_cast<double>(microbatches) * (forward + backward) / result.end;
  return result;
}

inline lectern::CalculatorResult pipeline_step(std::int64_t stages, std::int64_t microbatches, std::string_view order,
                                               double backward) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("stages", static_cast<double>(stages), 1, 16);
  out.expect("microbatches", static_cast<double>(microbatches), 1, 64);
  out.expect("backward", backward, 0.1, 10);
  if (out.refused()) return out;
  const auto chosen = order == "GPipe" ? accounting::PipelineOrder::gpipe : accounting::PipelineOrder::one_f_one_b;
  const Timetable times = timetable(chosen, static_cast<int>(stages), microbatches, 1, backward);
  out.show("Bubble", rounded_number(100 * times.waiting, 3) + "%", times.waiting, "(p − 1) / (m + p − 1)");
  const double speedup = static_cast<double>(stages) * (1 - times.waiting);
  out.show("As fast as one GPU", with_noun(rounded_number(speedup, 3), "time"), speedup,
           "of " + std::to_string(stages) + ", without communication");
  const auto kept = static_cast<double>(times.most_kept.front());
  out.show("Microbatches that stage 0 keeps", rounded_number(kept), kept);

  constexpr double kAcross = 460, kLeft = 20, kRow = 22, kTop = 4;
  CalculatorDrawing drawing{
      .alt = "A row for each stage, from left to right the time; forward passes in one colour, backward in another",
      .width = kAcross,
      .height = kTop + kRow * static_cast<double>(stages) + 20};
  const double unit = (kAcross - kLeft) / times.end;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const double y = kTop + kRow * static_cast<double>(stage);
    drawing.shapes.push_back({"label", {0, y + 14}, 0, std::to_string(stage), "start"});
    drawing.shapes.push_back({"line", {kLeft, y + kRow - 2, kAcross, y + kRow - 2}, -1});
  }
  for (const TimedPass& pass : times.passes) {
    const double x = kLeft + unit * pass.from, y = kTop + kRow * static_cast<double>(pass.stage);
    const std::string number = std::to_string(pass.action.microbatch);
    drawing.shapes.push_back({"rect",
                              {x, y, unit * (pass.to - pass.from) - 1, kRow - 4},
                              pass.is_backward() ? 2 : 1,
                              (pass.is_backward() ? "backward of microbatch " : "forward of microbatch ") + number});
  }
  drawing.shapes.push_back({"label", {kLeft, drawing.height - 4}, 0, "time", "start"});
  out.drawings.push_back(std::move(drawing));
  return out;
}
LECTERN_CALCULATOR(pipeline_step, stages, microbatches, order, backward);

inline std::vector<lectern::CalculatorInput> pipeline_inputs() {
  return {{.name = "stages", .label = "Stages", .value = "4", .min = 1, .max = 16},
          {.name = "microbatches", .label = "Microbatches", .value = "8", .min = 1, .max = 64},
          {.name = "order", .label = "Order", .value = "1F1B", .choices = {"GPipe", "1F1B"}},
          {.name = "backward", .label = "Backward, in forward passes", .value = "2", .min = 1, .max = 4}};
}
inline std::vector<lectern::CalculatorPreset> pipeline_presets() {
  return {{"no microbatches", {{"microbatches", "1"}}},
          {"GPipe", {{"order", "GPipe"}}},
          {"few for many stages", {{"stages", "16"}, {"microbatches", "16"}}}};
}
