#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/torch_trial.h"

// PyTorch in a process of its own, which starts at the first question and stays until this one ends: to start
// takes it seconds.

namespace lectern::test {

/// Numbers of a tensor in row-major order, as bytes: all of them, or each so-many-th (ops/torch_goldens.h).
struct TorchValue {
  Dtype dtype;
  std::vector<std::int64_t> sizes;
  std::string bytes;
};

/// In one dimension, on the CPU.
Tensor tensor_of(const TorchValue& value);

struct TorchOutcome {
  std::vector<std::optional<TorchValue>> values;  ///< no value: an input that has no gradient
  std::optional<std::string> error;
};

/// Of the values and, where the trial has them, of the gradients.
struct TorchAnswer {
  TorchOutcome values;
  std::optional<TorchOutcome> gradients;
};

/// One for each; nothing where there is no PyTorch.
std::optional<std::vector<TorchAnswer>> ask_torch(const std::vector<Trial>& trials);

/// What PyTorch made of a program.
struct TorchRun {
  struct Variable {
    TorchValue value;
    bool requires_grad;
    std::optional<TorchValue> grad;  ///< of a leaf
  };
  std::vector<std::optional<Variable>> variables;
  std::vector<std::optional<std::string>> errors;  ///< one for each statement
};

/// Of the statements of each program, an empty one for what is left out: it counts as one that failed.
std::optional<std::vector<TorchRun>> ask_torch(const std::vector<std::vector<std::string>>& programs);

}  // namespace lectern::test
