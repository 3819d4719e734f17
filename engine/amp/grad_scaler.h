#pragma once

#include <vector>

#include "optim/optimizer.h"
#include "tensor/state_dict.h"

namespace lectern::amp {

/// Keeps float16 gradients from underflowing, as PyTorch's torch.cuda.amp.GradScaler: the loss is multiplied
/// by a scale, the gradients are divided by it before the step, and a step whose gradients contain an
/// infinity or NaN is skipped. The scale shrinks after such a step, and grows after a while without one.
///
///   amp::GradScaler scaler;
///   …
///   scaler.scale(loss).backward();
///   scaler.unscale_(optimizer);                                    // to clip them, say
///   nn::utils::clip_grad_norm_(model.parameters(), 1.0);
///   scaler.step(optimizer);
///   scaler.update();
///
/// Scale and flags stay on the device of the first loss; only get_scale() and state_dict() synchronize. Of
/// several processes with DistributedDataParallel each has its own, and all agree, since their gradients do;
/// where each has other gradients, distributed/sharded_grad_scaler.h.
class GradScaler {
 public:
  struct Options {
    double init_scale = 65'536;
    double growth_factor = 2;
    double backoff_factor = 0.5;
    std::int64_t growth_interval = 2'000;  ///< steps without overflow before the scale grows
    bool enabled = true;                   ///< else the scale is 1, and no step is skipped
  };

  /// A TensorError unless growth_factor > 1 and 0 < backoff_factor < 1, scale and interval are positive, and
  /// the scale is finite in float32.
  GradScaler() : GradScaler(Options()) {}
  explicit GradScaler(const Options& options);
  virtual ~GradScaler() = default;

  /// The loss times the scale.
  Tensor scale(const Tensor& loss);
  /// Divides the gradients of the optimizer's parameters by the scale, in place; step() then does not. A
  /// TensorError before scale(), and when repeated between two updates.
  void unscale_(optim::Optimizer& optimizer);
  /// optimizer.step() with gradients divided by the scale, skipped on the device if one of them is not
  /// finite. A TensorError before scale(), and when repeated between two updates.
  void step(optim::Optimizer& optimizer);
  /// Updates the scale from the steps since the last update().
  void update();
  /// Sets the next scale.
  void update(double new_scale);

  /// Synchronizes with the device.
  double get_scale() const;
  bool is_enabled() const { return options_.enabled; }

  /// "scale" and "growth_tracker", the number of steps without overflow; empty if not enabled.
  StateDict state_dict() const;
  /// A TensorError unless both are present with one element each. Does nothing if not enabled.
  void load_state_dict(const StateDict& state);

 protected:
  /// 1 if one of the gradients is infinite or NaN, else 0: a float32 on the device.
  virtual Tensor found_inf(const optim::Optimizer& optimizer, Device device) const;

 private:
  /// What was done with an optimizer since the last update().
  struct OptimizerState {
    const optim::Optimizer* optimizer;
    Tensor found_inf;
    bool is_unscaled = false;
    bool is_stepped = false;
  };

  void initialize(const Tensor& loss);
  OptimizerState& optimizer_state(std::string_view operation, const optim::Optimizer& optimizer);

  Options options_;
  Tensor scale_;           ///< float32; undefined before the first loss
  Tensor growth_tracker_;  ///< int32
  double next_scale_;
  std::int64_t next_tracker_ = 0;
  std::vector<OptimizerState> states_;
};

}  // namespace lectern::amp
