#include "record/step_memory.h"

#include <algorithm>

namespace lectern::record {

void StepMemory::skip() {
  if (cost_meter != nullptr) count_ = cost_meter->read_memory(uses_);
}

void StepMemory::begin_step() {
  skip();
  for (std::size_t i = 0; i < count_; ++i) peaks_[i] = uses_[i].now;
}

void StepMemory::take() {
  skip();
  for (std::size_t i = 0; i < count_; ++i) peaks_[i] = std::max(peaks_[i], uses_[i].peak);
}

}  // namespace lectern::record
