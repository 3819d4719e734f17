#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "optim/grad_scale.h"
#include "optim/param_group.h"
#include "tensor/state_dict.h"

namespace lectern::autograd {
class AccumulateGrad;
}

namespace lectern::optim {

/// Changes parameters by their gradients: what all optimizers have in common, as in PyTorch. An own one is
/// written as there:
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
/// A TensorError when there are no parameters, when one is not floating, not a leaf, or given twice, and when
/// an option has no value or one that is not known.
class Optimizer {
 public:
  /// What is kept for a parameter, by name.
  using State = std::map<std::string, Tensor, std::less<>>;

  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Changes all parameters that have a gradient.
  virtual void step() = 0;
  /// The same for gradients that were scaled. Unless an optimizer has its own way (those of this folder do),
  /// the host waits for found_inf, and gradients are multiplied in place.
  virtual void step(const GradScale& scale);

  /// Gradients become undefined or, else, 0.
  void zero_grad(bool set_to_none = true) const;

  /// Options may be changed between steps: `optimizer.param_groups()[0]["lr"] = 0.1`.
  std::vector<ParamGroup>& param_groups() { return groups_; }
  const std::vector<ParamGroup>& param_groups() const { return groups_; }
  /// Options that the group does not have are the optimizer's.
  void add_param_group(ParamGroup group);

  /// What is kept for a parameter; at first nothing: `Tensor& sum = state(p)["sum"]` is undefined then. A
  /// TensorError when it is none of this optimizer's.
  State& state(const Tensor& parameter);
  /// The same for those who only look: null while nothing is kept.
  const State* find_state(const Tensor& parameter) const;

  /// All that a later run needs to go on with: for the i-th parameter "state.i.NAME" and for group g
  /// "param_groups.g.OPTION", and "param_groups.g.params", the numbers of its parameters. State tensors share
  /// memory with those that are kept.
  StateDict state_dict() const;
  /// Takes copies, on the devices and of the floating dtypes of the parameters; "step" on the CPU, in float32
  /// unless the optimizer may keep anything. A TensorError that lists all that does not fit, after which
  /// nothing is changed.
  void load_state_dict(const StateDict& saved);

 protected:
  /// `defaults` are all options with their values. One that groups have to give has none: it is `required`.
  Optimizer(const Params& params, Options defaults, std::string_view name = "optimizer",
            std::vector<std::string> required = {});

  const std::string& name() const { return name_; }

  /// A TensorError when an option of the group has no valid value. A constructor calls check_all().
  virtual void check(const ParamGroup&) const {}
  void check_all() const;
  /// A TensorError unless the option's value lies in [0, below).
  void check_range(std::string_view option, double value, std::optional<double> below = {}) const;
  /// A TensorError unless all gradients have the shapes, dtypes and devices of their parameters, and what
  /// `scale` has, unless it is null, is one number of float32 each on these devices.
  void check_gradients(const GradScale* scale) const;

  /// What is kept for a parameter under a name: with the group's options, or sometimes, with other options.
  struct Kept {
    Sizes sizes;
    bool always = true;
  };
  /// All of it by name. Nothing: anything may be.
  virtual std::optional<std::map<std::string, Kept>> kept_states(const ParamGroup&, const Tensor&) const {
    return {};
  }
  /// That of its floating tensors.
  virtual Dtype state_dtype(const Tensor& parameter) const { return parameter.dtype(); }

 private:
  using Key = std::shared_ptr<const autograd::AccumulateGrad>;
  static Key key(const Tensor& parameter);
  void check_gradient(const Tensor& parameter) const;
  void check_scale(const GradScale& scale, const Tensor& parameter) const;

  std::string name_;
  Options defaults_;
  std::vector<std::string> required_;
  std::vector<ParamGroup> groups_;
  std::unordered_map<Key, State> states_;
};

}  // namespace lectern::optim
