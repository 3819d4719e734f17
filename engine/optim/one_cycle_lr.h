#pragma once

#include <cstdint>
#include <vector>

#include "optim/lr_scheduler.h"

namespace lectern::optim {

struct OneCycleOptions {
  std::vector<double> max_lr;  ///< one for all groups, or one each
  std::int64_t total_steps = 0;
  double pct_start = 0.3;  ///< the share of the steps in which the rate rises
  /// The shape of rise and fall.
  enum class Anneal : std::uint8_t { cos, linear } anneal_strategy = Anneal::cos;
  bool cycle_momentum = true;
  double base_momentum = 0.85, max_momentum = 0.95;
  double div_factor = 25;         ///< the rate begins at max_lr / div_factor
  double final_div_factor = 1e4;  ///< and ends at this part of where it began
  bool three_phase = false;       ///< falls to where it began before it falls further
};

/// Smith, Topin (2018), "Super-Convergence: Very Fast Training of Neural Networks Using Large Learning
/// Rates", as in PyTorch: the rate rises from max_lr / div_factor to max_lr in pct_start of the steps, and
/// falls to max_lr / div_factor / final_div_factor in the others; momentum ("momentum", or the first of
/// "betas") falls from max_momentum to base_momentum and rises again. Rates set by hand are overwritten.
///
/// A TensorError for fewer than one step, for pct_start outside [0, 1], for another number of rates, when the
/// optimizer has no momentum to cycle, and for a step after the last.
class OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, const OneCycleOptions& options);

  void step() override;
  void load_state_dict(const StateDict& saved) override;

 private:
  void set_momentum() const;

  OneCycleOptions options_;
};

}  // namespace lectern::optim
