#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lectern::distributed {

/// What a stage of a pipeline does next: the forward or the backward pass of a microbatch.
struct PipelineAction {
  enum class Kind { forward, backward } kind;
  std::int64_t microbatch;

  friend bool operator==(const PipelineAction&, const PipelineAction&) = default;
};

/// All forward passes, then all backward passes (Huang et al. 2019, "GPipe"). Each stage keeps the
/// activations of all microbatches.
std::vector<PipelineAction> gpipe_actions(std::int64_t microbatches);

/// As many forward passes as there are later stages, then a forward and a backward pass in turn, then the
/// backward passes that are left (Narayanan et al. 2019, "PipeDream"; 2021, "Megatron-LM", section 2.2.1). A
/// stage keeps the activations of at most as many microbatches as there are stages from it to the last.
std::vector<PipelineAction> one_f_one_b_actions(int stage, int stages, std::int64_t microbatches);

}  // namespace lectern::distributed
