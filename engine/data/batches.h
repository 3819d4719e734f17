#pragma once

#include <vector>

#include "tensor/state_dict.h"

namespace lectern {

/// An endless source of training batches.
class BatchSource {
 public:
  BatchSource() = default;
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  /// The tensors of the next batch, on the CPU.
  virtual std::vector<Tensor> next() = 0;
  /// The state from which it continues with the next batch.
  virtual StateDict state_dict() const = 0;
  virtual void load_state_dict(const StateDict& state) = 0;
};

}  // namespace lectern
