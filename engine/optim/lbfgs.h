#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "optim/optimizer.h"

namespace lectern::optim {

struct LBFGSOptions {
  double lr = 1;
  std::int64_t max_iter = 20;                 ///< iterations in a step
  std::optional<std::int64_t> max_eval = {};  ///< evaluations in a step; max_iter · 5 / 4
  double tolerance_grad = 1e-7;               ///< ends a step when no gradient is larger
  double tolerance_change = 1e-9;             ///< or when neither the loss nor a parameter changes more
  std::int64_t history_size = 100;
  bool strong_wolfe = false;  ///< searches along each direction (PyTorch's line_search_fn), else goes lr
};

/// Liu, Nocedal (1989), "On the limited memory BFGS method for large scale optimization", as in PyTorch: a
/// step takes up to max_iter quasi-Newton iterations, each of which evaluates the loss again:
///
///   optim::LBFGS optimizer(model.parameters(), {.strong_wolfe = true});
///   optimizer.step([&] {
///     optimizer.zero_grad();
///     const Tensor loss = mse_loss(model(x), y);
///     loss.backward();
///     return loss;
///   });
///
/// All parameters form one group, of one dtype on one device. For n elements the state is, with the first
/// parameter: "func_evals" and "n_iter", counts; "d", the last direction, and "t", how far it went;
/// "prev_flat_grad"; "H_diag", the scale of the initial inverse Hessian; and of up to history_size iterations
/// "old_dirs.i" and "old_stps.i", the changes of the gradient and of the parameters, and "ro.i", 1 over their
/// product: 4 n + 2 n history_size elements. O(n history_size) per iteration; the host waits for each.
///
/// A TensorError for several groups, dtypes or devices, and for negative options.
class LBFGS : public Optimizer {
 public:
  /// Computes the loss, and by backward() its gradients; returns it.
  using Closure = std::function<Tensor()>;

  explicit LBFGS(const Params& params, const LBFGSOptions& options = {});

  /// The loss before the step.
  Tensor step(const Closure& closure);
  /// A TensorError: a step needs a closure.
  void step() override;
  void step(const GradScale& scale) override;

 private:
  class Iterations;
  void check(const ParamGroup& group) const override;
};

}  // namespace lectern::optim
