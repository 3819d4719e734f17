#include "distributed/pipeline_actions.h"

#include <algorithm>

namespace lectern::distributed {
namespace {

using enum PipelineAction::Kind;

}  // namespace

std::vector<PipelineAction> gpipe_actions(std::int64_t microbatches) {
  std::vector<PipelineAction> actions;
  for (std::int64_t i = 0; i < microbatches; ++i) actions.push_back({forward, i});
  for (std::int64_t i = 0; i < microbatches; ++i) actions.push_back({backward, i});
  return actions;
}

std::vector<PipelineAction> one_f_one_b_actions(int stage, int stages, std::int64_t microbatches) {
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
