#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/module_hooks.h"
#include "tensor/state_dict.h"

namespace lectern::nn {

/// A trainable tensor of a module: a leaf of the graph. A handle like every tensor: a copy, in an optimizer
/// say, is the same parameter.
class Parameter : public Tensor {
 public:
  /// Undefined: for example, the bias of a module without one.
  Parameter() = default;
  /// Shares the storage of `data`, but not its graph. A TensorError when it is not floating and requires_grad
  /// is set.
  explicit Parameter(const Tensor& data, bool requires_grad = true) : Tensor(data.detach()) {
    requires_grad_(requires_grad);
    storage().set_category(MemoryCategory::parameter);
  }
};

/// Missing and unexpected keys in load_state_dict().
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};

/// The base of layers and models: parameters and submodules. As in PyTorch, with members:
///
///   struct Cruncher : nn::Module {
///     nn::ModuleList<nn::Linear> layers;
///     nn::Linear final;
///
///     Cruncher(std::int64_t dim, std::int64_t num_layers) : layers(num_layers, dim, dim), final(dim, 1) {
///       LECTERN_REGISTER(layers, final);
///     }
///     Tensor operator()(Tensor x) const {
///       for (const nn::Linear& layer : layers) x = layer(x);
///       return final(x);
///     }
///   };
///
/// Everything below covers registered members only. A module can be moved but not copied. Moved into an
/// object of a base class, which lacks its members, it throws a TensorError when they are accessed. Names are
/// listed in registration order: for each module its parameters, then its buffers, then its submodules. What
/// several modules share is listed once, under its first name, except by state_dict(), which lists it under
/// each.
class Module {
 public:
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() {
    if (hooks_ != nullptr) hooks_->owner = nullptr;
  }

  template <typename T>
  using Named = std::vector<std::pair<std::string, T>>;

  /// Handles to the parameters themselves.
  std::vector<Tensor> parameters() const;
  Named<Tensor> named_parameters() const;
  Named<Tensor> named_buffers() const;
  /// The number of elements of all parameters.
  std::int64_t num_parameters() const;

  /// The direct submodules.
  std::vector<Module*> children();
  Named<Module*> named_children();
  Named<const Module*> named_children() const;
  /// Itself, under the empty name, and all submodules, each before its own.
  std::vector<Module*> modules();
  Named<Module*> named_modules();
  Named<const Module*> named_modules() const;
  /// Calls function(module) for all submodules, then for itself.
  Module& apply(const std::function<void(Module&)>& function);

  /// Parameters and persistent buffers, detached: they share storage with the module. Names are
  /// "layers.0.weight".
  StateDict state_dict() const;
  /// Copies the values, converting dtype and device. With `strict`, a TensorError when a name is missing or
  /// unexpected; always when a shape differs. It lists every mismatch, and then nothing is changed.
  IncompatibleKeys load_state_dict(const StateDict& state, bool strict = true);

  /// Training mode, for modules such as Dropout that behave differently in it; initially on.
  bool is_training() const { return training_; }
  Module& train(bool training = true);
  Module& eval() { return train(false); }

  /// Moves or converts parameters, their gradients and buffers in place: all handles see it. A dtype applies
  /// to floating ones only; a TensorError when it is not floating.
  Module& to(Device device);
  Module& to(Dtype dtype);
  Module& to(Device device, Dtype dtype);

  /// Clears the gradients of all parameters, as if there had been no backward(), or zeroes them.
  void zero_grad(bool set_to_none = true);
  /// Sets requires_grad of all parameters.
  Module& requires_grad_(bool requires_grad = true);

  // Hooks of a module that maps one tensor to another: of all such modules here, and of those whose
  // operator() calls hooked(). They stay with the module when it is moved. Forward hooks run in the order
  // pre-hooks, module, forward hooks; full backward hooks run when the gradient of the input is known, or,
  // where the input has none, that of the output. Neither input nor output may then be changed in place by
  // what must not see it: they are views.

  RemovableHandle register_forward_pre_hook(ForwardPreHook hook);
  RemovableHandle register_forward_hook(ForwardHook hook);
  RemovableHandle register_full_backward_hook(FullBackwardHook hook);

  /// The class name, for printing.
  virtual std::string name() const;
  /// The text between the parentheses when printed: "in_features=4, out_features=2, bias=True".
  virtual std::string extra_repr() const { return {}; }

  /// As PyTorch prints it: the class, and one line per submodule.
  friend std::string to_string(const Module& module);

 protected:
  Module() = default;
  /// Registered members become those of this object.
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;

  /// forward(x), a tensor, with the hooks around it:
  ///
  ///   Tensor operator()(const Tensor& x) const {
  ///     return hooked(x, [&](const Tensor& in) { return linear(in, weight, bias); });
  ///   }
  template <typename Forward>
  Tensor hooked(const Tensor& x, const Forward& forward) const {
    return hooks_ == nullptr ? forward(x) : ModuleHooks::call(hooks_, *this, x, forward);
  }

  // Registration, for this module's lifetime. A TensorError when a name is empty, contains a dot, or is
  // taken.

  /// Implements LECTERN_REGISTER, with `self` this: members of the class Self and their comma-separated
  /// names. Parameters; tensors, as persistent buffers; modules. A TensorError for what is not a member.
  template <std::derived_from<Module> Self, typename... Members>
  void register_members(const Self* self, std::string_view names, Members&... members) {
    const Bytes bytes = std::as_bytes(std::span(self, 1));
    (register_member(bytes, next_name(names), members), ...);
    is_complete_ = [](const Module& module) { return dynamic_cast<const Self*>(&module) != nullptr; };
  }
  /// Returns a handle to it.
  Tensor register_parameter(const std::string& name, const Parameter& parameter);
  /// Likewise. state_dict() omits non-persistent buffers.
  Tensor register_buffer(const std::string& name, const Tensor& buffer, bool persistent = true);
  /// Takes shared ownership. A TensorError for null, too.
  template <std::derived_from<Module> M>
  M& register_module(const std::string& name, std::shared_ptr<M> module) {
    M* const registered = module.get();
    add_module(name, std::move(module));
    return *registered;
  }

 private:
  /// A registered value: owned by the registry or, if its pointer has no owner, a member of the module.
  template <typename T>
  struct Entry {
    std::string name;
    std::shared_ptr<T> value;
    bool persistent = true;
  };
  template <typename T>
  using Entries = std::vector<Entry<T>>;

  using Bytes = std::span<const std::byte>;  ///< an object's memory
  static std::string next_name(std::string_view& names);
  void register_member(Bytes self, const std::string& name, Parameter& parameter);
  void register_member(Bytes self, const std::string& name, Tensor& buffer);
  void register_member(Bytes self, const std::string& name, Module& module);
  void check_member(Bytes self, const std::string& name, Bytes member) const;
  void check_name(const std::string& name) const;
  void check_members() const;
  void add_module(const std::string& name, std::shared_ptr<Module> module);

  template <typename T>
  void rebind(Entries<T>& entries, const Module& other) noexcept;
  void move_from(Module& other) noexcept;

  template <typename M>
  static void collect(M& module, const std::string& name, Named<M*>& modules);
  template <typename T>
  Named<Tensor> collect(Entries<T> Module::*entries) const;
  void collect_state(StateDict& state, const std::string& prefix) const;
  template <typename Converted>
  Module& convert(const Converted& converted);

  Entries<Parameter> parameters_;
  Entries<Tensor> buffers_;
  Entries<Module> modules_;
  const std::shared_ptr<ModuleHooks>& own_hooks();

  std::shared_ptr<ModuleHooks> hooks_;  ///< null until there is one
  bool training_ = true;
  bool (*is_complete_)(const Module&) = nullptr;  ///< whether a module has the registered members
};

std::string to_string(const Module& module);
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace lectern::nn

/// In a module's constructor: registers these members under their names.
#define LECTERN_REGISTER(...) this->register_members(this, #__VA_ARGS__, __VA_ARGS__)
