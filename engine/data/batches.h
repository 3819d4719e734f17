#pragma once

#include <vector>

#include "tensor/state_dict.h"

namespace lectern {

/// Where training gets its batches: one after the other, without an end.
class BatchSource {
 public:
  BatchSource() = default;
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  /// The tensors of the next batch, on the CPU.
  virtual std::vector<Tensor> next() = 0;
  /// What it needs to go on with the batches that would come next.
  virtual StateDict state_dict() const = 0;
  virtual void load_state_dict(const StateDict& state) = 0;
};

}  // namespace lectern
