#pragma once

#include <algorithm>

// Memory for the training state: parameters, gradients and the optimizer's state. Pure functions of numbers,
// for calculators too. For activations see accounting/activations.h.

namespace lectern::accounting {

/// What an optimizer keeps for each parameter, in elements: SGD nothing; with momentum (and so Lion and
/// Muon), Adagrad and RMSprop one; Adam, AdamW, NAdam and RAdam two. Adafactor keeps a row and a column for
/// each matrix, which is negligible, as are step counts.
enum class OptimizerState { sgd, momentum, adagrad, rmsprop, adam, adafactor };

constexpr double state_elements(OptimizerState optimizer) {
  switch (optimizer) {
    case OptimizerState::sgd:
    case OptimizerState::adafactor:
      return 0;
    case OptimizerState::momentum:
    case OptimizerState::adagrad:
    case OptimizerState::rmsprop:
      return 1;
    case OptimizerState::adam:
      return 2;
  }
  return 0;
}

/// Bytes per element.
struct TrainingPrecision {
  double parameters = 4;
  double gradients = 4;
  double master = 0;  ///< of a copy of the parameters that the optimizer updates
  double state = 4;
};
/// Everything in float32; so does autocast, which computes products in 16 bits.
inline constexpr TrainingPrecision kFloat32Training{};
/// 16-bit parameters and gradients, a float32 master copy (Micikevicius et al. 2018): with Adam 2 + 2 + 4 + 8
/// = 16 bytes per parameter, no fewer than in float32.
inline constexpr TrainingPrecision kMasterCopyTraining{.parameters = 2, .gradients = 2, .master = 4};
/// All in bfloat16: small updates are rounded away unless rounding is stochastic.
inline constexpr TrainingPrecision kBfloat16Training{.parameters = 2, .gradients = 2, .state = 2};

/// What data-parallel devices shard (Rajbhandari et al. 2020, "ZeRO").
enum class ZeroStage {
  none,        ///< each has everything
  optimizer,   ///< 1: the optimizer's state and the master copy
  gradients,   ///< 2: gradients too
  parameters,  ///< 3: parameters too (fully sharded data parallel)
};

/// Bytes on one device.
struct TrainingMemory {
  double parameters;
  double gradients;
  double master;
  double state;

  constexpr double total() const { return parameters + gradients + master + state; }
};

/// For `parameters` trainable parameters on `devices` data-parallel devices.
constexpr TrainingMemory training_memory(double parameters, OptimizerState optimizer,
                                         const TrainingPrecision& precision = kFloat32Training,
                                         ZeroStage stage = ZeroStage::none, double devices = 1) {
  const auto shard = [&](ZeroStage from) { return stage >= from ? parameters / devices : parameters; };
  return {
      .parameters = precision.parameters * shard(ZeroStage::parameters),
      .gradients = precision.gradients * shard(ZeroStage::gradients),
      .master = precision.master * shard(ZeroStage::optimizer),
      .state = precision.state * state_elements(optimizer) * shard(ZeroStage::optimizer),
  };
}

/// One device's share of an array that `devices` divide, filled up where they can't do so evenly:
/// ceil(elements / devices).
constexpr double shard_elements(double elements, double devices) {
  const auto whole = static_cast<long long>(elements / devices);
  return static_cast<double>(whole) * devices < elements ? static_cast<double>(whole + 1)
                                                         : static_cast<double>(whole);
}

/// The most bytes of parameters on one of fully sharded devices: its shares, and the `gathered` parameters of
/// the modules that are whole at a time (Zhao et al. 2023, "PyTorch FSDP", section 3.2.1).
constexpr double fully_sharded_parameter_bytes(double parameters, double gathered, double devices,
                                               const TrainingPrecision& precision = kFloat32Training) {
  return precision.parameters * (parameters / devices + gathered);
}

/// The parameters of the largest model whose training state fits in `bytes` per device, not counting
/// activations.
constexpr double most_parameters(double bytes, OptimizerState optimizer,
                                 const TrainingPrecision& precision = kFloat32Training,
                                 ZeroStage stage = ZeroStage::none, double devices = 1) {
  return std::max(0.0, bytes) / training_memory(1, optimizer, precision, stage, devices).total();
}

}  // namespace lectern::accounting
