#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ops/tensors.h"
#include "ops/torch_reference.h"

// A row of a table of operations with inputs of one dtype.

namespace lectern::test {

/// "torch.exp(a) [3, 7]", and so on.
std::string title(const TorchRow& row);

struct Trial {
  const TorchRow* row;
  Dtype dtype;
  std::vector<unsigned> seeds;    ///< of the inputs
  std::vector<unsigned> layouts;  ///< likewise: how they lie in memory

  /// New ones at each call: an operation may change them.
  std::vector<Laid> inputs() const;
  bool with_gradients() const;
  /// For messages.
  std::string title() const;
};

/// The inputs follow from the row and the dtype alone.
Trial fixed_trial(const TorchRow& row, Dtype dtype);
/// Fresh ones: contiguous, and in some layout each.
std::vector<Trial> fresh_trials(const TorchRow& row, Dtype dtype, std::mt19937& seeds);

/// What came of a trial: values and gradients, undefined where an input has none, or why not.
struct Outcome {
  std::vector<Tensor> values;
  std::optional<std::string> error = {};
};

Outcome our_values(const Trial& trial);
/// The gradients of all floating inputs, from fixed gradients of the values: nothing when no value depends on
/// an input in that way.
Outcome our_gradients(const Trial& trial);
/// The same from the absolute values of those gradients: how large the terms are that may cancel out.
Outcome uncancelled_gradients(const Trial& trial);

/// From -1 to 1 in steps of 1/8, which every dtype holds, of the shape of `value`; torch_reference.py makes
/// the same.
Tensor fixed_gradient(const Tensor& value);

}  // namespace lectern::test
