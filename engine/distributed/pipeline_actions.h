#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

// The order of a pipeline's passes: functions of numbers, for calculators too.

namespace lectern::distributed {

/// What a stage of a pipeline does next: the forward or the backward pass of a microbatch.
struct PipelineAction {
  enum class Kind { forward, backward } kind;
  std::int64_t microbatch;

  friend bool operator==(const PipelineAction&, const PipelineAction&) = default;
};

/// All forward passes, then all backward passes (Huang et al. 2019, "GPipe"). Each stage keeps the
/// activations of all microbatches.
inline std::vector<PipelineAction> gpipe_actions(std::int64_t microbatches) {
  using enum PipelineAction::Kind;
  std::vector<PipelineAction> actions;
  for (std::int64_t i = 0; i < microbatches; ++i) actions.push_back({forward, i});
  for (std::int64_t i = 0; i < microbatches; ++i) actions.push_back({backward, i});
  return actions;
}

/// As many forward passes as there are later stages, then a forward and a backward pass in turn, then the
/// backward passes that are left (Narayanan et al. 2019, "PipeDream"; 2021, "Megatron-LM", section 2.2.1). A
/// stage keeps the activations of at most as many microbatches as there are stages from it to the last.
inline std::vector<PipelineAction> one_f_one_b_actions(int stage, int stages, std::int64_t microbatches) {
  using enum PipelineAction::Kind;
  const std::int64_t ahead = std::min<std::int64_t>(stages - stage - 1, microbatches);
  std::vector<PipelineAction> actions;
  for (std::int64_t i = 0; i < ahead; ++i) actions.push_back({forward, i});
  for (std::int64_t i = ahead; i < microbatches; ++i) {
    actions.push_back({forward, i});
    actions.push_back({backward, i - ahead});
  }
  for (std::int64_t i = microbatches - ahead; i < microbatches; ++i) actions.push_back({backward, i});
  return actions;
}

}  // namespace lectern::distributed
