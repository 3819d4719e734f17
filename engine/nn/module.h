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

#include "nn/parameter.h"
#include "tensor/state_dict.h"

namespace lectern::nn {

/// What load_state_dict() found no use for, or nothing for.
struct IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};

/// What has parameters, and modules that have some: a layer, a model. As in PyTorch, with members:
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
/// What is registered is known by its name to all that follows; what is not, to none of it. A value that can
/// be moved but not copied. Moved into an object of a base class, which lacks its members, it gives a
/// TensorError when it is asked for them. Names are listed in the order in which they were registered: of
/// each module its parameters, then its buffers, then its modules. What several modules share is listed once,
/// under its first name, but by state_dict(), which has it under each.
class Module {
 public:
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  virtual ~Module() = default;

  template <typename T>
  using Named = std::vector<std::pair<std::string, T>>;

  /// Handles of the parameters themselves.
  std::vector<Tensor> parameters() const;
  Named<Tensor> named_parameters() const;
  Named<Tensor> named_buffers() const;
  /// How many numbers all parameters have together.
  std::int64_t num_parameters() const;

  /// The modules that it is made of.
  std::vector<Module*> children();
  Named<Module*> named_children();
  Named<const Module*> named_children() const;
  /// Itself, under the empty name, and all modules below it, each before those that it is made of.
  std::vector<Module*> modules();
  Named<Module*> named_modules();
  Named<const Module*> named_modules() const;
  /// Calls function(module) for each of them, itself the last.
  Module& apply(const std::function<void(Module&)>& function);

  /// Parameters and persistent buffers, detached: they share their numbers with the module. Names are
  /// "layers.0.weight".
  StateDict state_dict() const;
  /// Copies numbers from there, whatever dtype and device they have. With `strict`, a TensorError when a name
  /// is missing or unexpected; always when a shape differs. It says all that does not fit, and nothing was
  /// changed then.
  IncompatibleKeys load_state_dict(const StateDict& state, bool strict = true);

  /// Whether modules that behave differently while they learn, such as Dropout, do so; at first they do.
  bool is_training() const { return training_; }
  Module& train(bool training = true);
  Module& eval() { return train(false); }

  /// Moves or converts parameters, their gradients and buffers in place: all handles see it. A dtype is for
  /// floating ones only; a TensorError when it is not floating itself.
  Module& to(Device device);
  Module& to(Dtype dtype);
  Module& to(Device device, Dtype dtype);

  /// Takes the gradients of all parameters away, as if there had been no backward(), or makes them zeros.
  void zero_grad(bool set_to_none = true);
  /// Whether backward() is to reach the parameters, all of them.
  Module& requires_grad_(bool requires_grad = true);

  /// What it is printed as: that of its class.
  virtual std::string name() const;
  /// What stands between the parentheses when it is printed: "in_features=4, out_features=2, bias=True".
  virtual std::string extra_repr() const { return {}; }

  /// As PyTorch prints it: its class, and its modules in lines of their own.
  friend std::string to_string(const Module& module);

 protected:
  Module() = default;
  /// The members that were registered there are those of this module here.
  Module(Module&& other) noexcept;
  Module& operator=(Module&& other) noexcept;

  // Registers what belongs to this module for as long as it lives. A TensorError when a name is empty, has a
  // dot, or is used twice.

  /// What LECTERN_REGISTER does, with `self` this: members of the class Self and their names, separated by
  /// commas. Parameters; tensors, as persistent buffers; modules. A TensorError for what is no member.
  template <std::derived_from<Module> Self, typename... Members>
  void register_members(const Self* self, std::string_view names, Members&... members) {
    const std::span<const std::byte> place = std::as_bytes(std::span(self, 1));
    (register_member(place, next_name(names), members), ...);
    has_members_ = [](const Module& module) { return dynamic_cast<const Self*>(&module) != nullptr; };
  }
  /// A handle, which is returned.
  Tensor register_parameter(const std::string& name, const Parameter& parameter);
  /// A handle likewise. state_dict() leaves out what is not persistent.
  Tensor register_buffer(const std::string& name, const Tensor& buffer, bool persistent = true);
  /// A module that is owned. A TensorError for a null one, too.
  template <std::derived_from<Module> M>
  M& register_module(const std::string& name, std::shared_ptr<M> module) {
    M* const registered = module.get();
    add_module(name, std::move(module));
    return *registered;
  }

 private:
  /// What stands under a name: owned by the registry, or, with an owner that is none, a member of the module.
  template <typename T>
  struct Entry {
    std::string name;
    std::shared_ptr<T> value;
    bool persistent = true;
  };
  template <typename T>
  using Entries = std::vector<Entry<T>>;

  using Place = std::span<const std::byte>;  ///< of an object, in memory
  static std::string next_name(std::string_view& names);
  void register_member(Place self, const std::string& name, Parameter& parameter);
  void register_member(Place self, const std::string& name, Tensor& buffer);
  void register_member(Place self, const std::string& name, Module& module);
  void check_member(Place self, const std::string& name, Place member) const;
  void check_name(const std::string& name) const;
  void check_members() const;
  void add_module(const std::string& name, std::shared_ptr<Module> module);

  template <typename T>
  void follow(Entries<T>& entries, const Module& other) noexcept;
  void take(Module& other) noexcept;

  template <typename M>
  static void collect(M& module, const std::string& name, Named<M*>& modules);
  template <typename T>
  Named<Tensor> collect(Entries<T> Module::*entries) const;
  void add_to(StateDict& state, const std::string& prefix) const;
  template <typename Converted>
  Module& convert(const Converted& converted);

  Entries<Parameter> parameters_;
  Entries<Tensor> buffers_;
  Entries<Module> modules_;
  bool training_ = true;
  bool (*has_members_)(const Module&) = nullptr;  ///< whether one is of the class whose members it registered
};

std::string to_string(const Module& module);
std::ostream& operator<<(std::ostream& out, const Module& module);

}  // namespace lectern::nn

/// In the constructor of a module: registers these of its members under their names.
#define LECTERN_REGISTER(...) this->register_members(this, #__VA_ARGS__, __VA_ARGS__)
