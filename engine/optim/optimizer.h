#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "optim/param_group.h"
#include "tensor/state_dict.h"

namespace lectern::autograd {
class AccumulateGrad;
}

namespace lectern::optim {

/// A scaler's inputs to a step: 0-d float32 tensors on the parameters' device, not read by the host.
struct GradScale {
  Tensor inv_scale;  ///< factor of the gradients
  Tensor found_inf;  ///< nonzero if one of them is infinite or NaN: the step is skipped
};

/// The defined gradients, in the order of the parameters.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters);

/// The shape of a state, and whether all options require it.
struct StateSpec {
  Sizes sizes;
  bool required = true;
  bool is_number = false;  ///< one float32 on the CPU, whatever the parameter is
};
using StateSpecs = std::map<std::string, StateSpec>;

/// Updates parameters by their gradients: the base of all optimizers, as in PyTorch. A custom one is written
/// as there:
///
///   class Sgd : public optim::Optimizer {
///    public:
///     Sgd(const optim::Params& params, double lr) : Optimizer(params, {{"lr", lr}}) {}
///     void step() override {
///       const NoGradGuard no_grad;
///       for (const auto& group : param_groups()) {
///         for (const Tensor& p : group.params) {
///           if (p.grad().defined()) p.sub_(group["lr"] * p.grad());
///         }
///       }
///     }
///   };
///
/// A TensorError when there are no parameters, when one is not floating, not a leaf, or repeated, and when an
/// option is unknown or has no value.
class Optimizer {
 public:
  /// The state of a parameter, by name.
  using State = std::map<std::string, Tensor, std::less<>>;

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates all parameters that have a gradient.
  virtual void step() = 0;
  /// The same for scaled gradients. By default (the optimizers here override it) the host waits for
  /// found_inf, and gradients are unscaled in place.
  virtual void step(const GradScale& scale);

  /// Gradients become undefined, or 0.
  void zero_grad(bool set_to_none = true) const;

  /// Those of all groups, in order.
  std::vector<Tensor> parameters() const;
  /// Options may be changed between steps: `optimizer.param_groups()[0]["lr"] = 0.1`.
  std::vector<ParamGroup>& param_groups() { return groups_; }
  const std::vector<ParamGroup>& param_groups() const { return groups_; }
  /// Options missing from the group are the optimizer's.
  void add_param_group(ParamGroup group);

  /// The state of a parameter; initially empty: `Tensor& sum = state(p)["sum"]` is undefined then. A
  /// TensorError when the parameter is not this optimizer's.
  State& state(const Tensor& parameter);
  /// Read-only: null if there is no state.
  const State* find_state(const Tensor& parameter) const;

  /// All that a later run needs to resume: for the i-th parameter "state.i.NAME" and for group g
  /// "param_groups.g.OPTION", and "param_groups.g.params", the indices of its parameters. State tensors share
  /// memory with the optimizer's.
  StateDict state_dict() const;
  /// Loads copies, on the parameters' devices and in their floating dtypes; "step" on the CPU, in float32
  /// unless the optimizer may keep any state. A TensorError that lists every mismatch, and then nothing is
  /// changed.
  virtual void load_state_dict(const StateDict& saved);

 protected:
  /// `defaults` are all options with their values, except those each group must give: they are `required`.
  Optimizer(const Params& params, Options defaults, std::string_view name = "optimizer",
            std::vector<std::string> required = {});

  const std::string& name() const { return name_; }

  /// A TensorError when an option of the group has an invalid value. A constructor calls check_all().
  virtual void check(const ParamGroup&) const {}
  void check_all() const;
  /// A TensorError unless the option's value is in [0, below).
  void check_range(std::string_view option, double value, std::optional<double> below = {}) const;
  /// A TensorError unless both betas are in [0, 1).
  void check_betas(const ParamGroup& group) const;
  /// A TensorError unless all gradients have the shapes, dtypes and devices of their parameters, and the
  /// tensors of `scale`, unless it is null, are one float32 element each on these devices.
  void check_gradients(const GradScale* scale) const;

  /// The possible states by name; nullopt: unrestricted.
  virtual std::optional<StateSpecs> state_specs(const ParamGroup&, const Tensor&) const { return {}; }
  /// The dtype of its floating states.
  virtual Dtype state_dtype(const Tensor& parameter) const { return parameter.dtype(); }

 private:
  using Key = std::shared_ptr<const autograd::AccumulateGrad>;
  static Key key(const Tensor& parameter);

  std::string name_;
  Options defaults_;
  std::vector<std::string> required_;
  std::vector<ParamGroup> groups_;
  std::unordered_map<Key, State> states_;
};

}  // namespace lectern::optim
