#pragma once

#include <cstdint>
#include <vector>

#include "optim/optimizer.h"
#include "tensor/state_dict.h"

namespace lectern::optim {

struct ReduceLROnPlateauOptions {
  enum class Mode : std::uint8_t { min, max } mode = Mode::min;  ///< whether less is better, or more
  double factor = 0.1;
  std::int64_t patience = 10;  ///< so many steps without a better value are put up with
  double threshold = 1e-4;     ///< the least difference that counts as better
  enum class ThresholdMode : std::uint8_t { rel, abs } threshold_mode = ThresholdMode::rel;
  std::int64_t cooldown = 0;        ///< after a reduction so many steps are not counted
  std::vector<double> min_lr = {};  ///< 0; one for all groups, or one each
  double eps = 1e-8;                ///< a smaller reduction is left out
};

/// Multiplies "lr" of all groups by `factor` when a measured value, such as the validation loss, has not
/// become better for more than `patience` steps, as PyTorch's torch.optim.lr_scheduler. NaN is not better.
/// The optimizer must outlive it.
///
/// A TensorError for a factor that is not below 1, and for another number of least rates than groups.
class ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(Optimizer& optimizer, const ReduceLROnPlateauOptions& options = {});

  /// After an epoch whose measured value is this.
  void step(double metric);
  std::int64_t last_epoch() const { return last_epoch_; }
  double best() const { return best_; }
  std::int64_t num_bad_epochs() const { return num_bad_epochs_; }
  /// The current rates, one per group.
  std::vector<double> get_last_lr() const;

  /// "last_epoch", "best", "num_bad_epochs", "cooldown_counter", and "last_lr" of all groups.
  StateDict state_dict() const;
  /// Sets the saved rates. A TensorError for another number of groups.
  void load_state_dict(const StateDict& saved);

 private:
  bool is_better(double metric) const;
  void reduce();

  Optimizer& optimizer_;
  ReduceLROnPlateauOptions options_;
  double best_;
  std::int64_t last_epoch_ = 0, num_bad_epochs_ = 0, cooldown_counter_ = 0;
};

}  // namespace lectern::optim
