#include "nn/module.h"

#include <algorithm>
#include <set>

#include "autograd/backward.h"
#include "base/tensor_error.h"

namespace lectern::nn {
namespace {

std::string joined(const std::string& module, const std::string& name) {
  return module.empty() ? name : std::string(module).append(".").append(name);
}

/// A non-owning pointer.
template <typename T>
std::shared_ptr<T> unowned(T* value) {
  return {std::shared_ptr<void>(), value};
}

template <typename T>
std::vector<T> values_of(const std::vector<std::pair<std::string, T>>& named) {
  std::vector<T> values;
  values.reserve(named.size());
  for (const auto& [name, value] : named) values.push_back(value);
  return values;
}

template <typename M, typename Entries>
std::vector<std::pair<std::string, M*>> children_of(const Entries& entries) {
  std::vector<std::pair<std::string, M*>> children;
  std::set<const Module*> seen;
  for (const auto& [name, module, persistent] : entries) {
    if (seen.insert(module.get()).second) children.emplace_back(name, module.get());
  }
  return children;
}

}  // namespace

Module::Module(Module&& other) noexcept {
  move_from(other);
}

Module& Module::operator=(Module&& other) noexcept {
  if (this != &other) move_from(other);
  return *this;
}

void Module::move_from(Module& other) noexcept {
  parameters_ = std::exchange(other.parameters_, {});
  buffers_ = std::exchange(other.buffers_, {});
  modules_ = std::exchange(other.modules_, {});
  if (hooks_ != nullptr) hooks_->owner = nullptr;
  hooks_ = std::exchange(other.hooks_, nullptr);
  if (hooks_ != nullptr) hooks_->owner = this;
  training_ = other.training_;
  is_complete_ = other.is_complete_;
  rebind(parameters_, other);
  rebind(buffers_, other);
  rebind(modules_, other);
}

template <typename T>
void Module::rebind(Entries<T>& entries, const Module& other) noexcept {
  for (Entry<T>& entry : entries) {
    if (entry.value.use_count() > 0) continue;
    const auto offset =
        reinterpret_cast<const std::byte*>(entry.value.get()) - reinterpret_cast<const std::byte*>(&other);
    entry.value = unowned(reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset));
  }
}

const std::shared_ptr<ModuleHooks>& Module::own_hooks() {
  if (hooks_ == nullptr) {
    hooks_ = std::make_shared<ModuleHooks>();
    hooks_->owner = this;
  }
  return hooks_;
}

RemovableHandle Module::register_forward_pre_hook(ForwardPreHook hook) {
  const auto& hooks = own_hooks();
  return {hooks, [id = hooks->before.add(std::move(hook))](ModuleHooks& list) { list.before.remove(id); }};
}

RemovableHandle Module::register_forward_hook(ForwardHook hook) {
  const auto& hooks = own_hooks();
  return {hooks, [id = hooks->after.add(std::move(hook))](ModuleHooks& list) { list.after.remove(id); }};
}

RemovableHandle Module::register_full_backward_hook(FullBackwardHook hook) {
  const auto& hooks = own_hooks();
  return {hooks,
          [id = hooks->backward.add(std::move(hook))](ModuleHooks& list) { list.backward.remove(id); }};
}

std::string Module::next_name(std::string_view& names) {
  const std::size_t comma = std::min(names.find(','), names.size());
  const std::string_view name = names.substr(0, comma);
  names.remove_prefix(std::min(comma + 1, names.size()));
  const std::size_t begin = std::min(name.find_first_not_of(' '), name.size());
  return std::string(name.substr(begin, name.find_last_not_of(' ') + 1 - begin));
}

void Module::check_name(const std::string& name) const {
  const auto fail = [&](const std::string& problem) { throw TensorError(this->name(), problem); };
  if (name.empty()) fail("the name of a member must not be empty");
  if (name.find('.') != std::string::npos) fail("the name of a member must not have a dot: " + name);
  const auto is_used = [&](const auto& entries) {
    return std::ranges::any_of(entries, [&](const auto& entry) { return entry.name == name; });
  };
  if (is_used(parameters_) || is_used(buffers_) || is_used(modules_)) {
    fail("there is already a member named " + name);
  }
}

void Module::check_member(Bytes self, const std::string& name, Bytes member) const {
  check_name(name);
  const std::less_equal<> not_after;
  if (!not_after(self.data(), member.data()) ||
      !not_after(member.data() + member.size(), self.data() + self.size())) {
    throw TensorError(this->name(),
                      name +
                          " is not a member of the class; use register_module() and its like for "
                          "what is stored elsewhere");
  }
}

void Module::check_members() const {
  if (is_complete_ == nullptr || is_complete_(*this)) return;
  throw TensorError(this->name(),
                    "it was moved from an object of a derived class, whose members it lacks; "
                    "return or hold the derived class itself, or a std::shared_ptr of it");
}

void Module::register_member(Bytes self, const std::string& name, Parameter& parameter) {
  check_member(self, name, std::as_bytes(std::span(&parameter, 1)));
  parameters_.push_back({name, unowned(&parameter)});
}

void Module::register_member(Bytes self, const std::string& name, Tensor& buffer) {
  check_member(self, name, std::as_bytes(std::span(&buffer, 1)));
  buffers_.push_back({name, unowned(&buffer)});
}

void Module::register_member(Bytes self, const std::string& name, Module& module) {
  check_member(self, name, std::as_bytes(std::span(&module, 1)));
  modules_.push_back({name, unowned(&module)});
}

Tensor Module::register_parameter(const std::string& name, const Parameter& parameter) {
  check_name(name);
  parameters_.push_back({name, std::make_shared<Parameter>(parameter)});
  return parameter;
}

Tensor Module::register_buffer(const std::string& name, const Tensor& buffer, bool persistent) {
  check_name(name);
  buffers_.push_back({name, std::make_shared<Tensor>(buffer), persistent});
  return buffer;
}

void Module::add_module(const std::string& name, std::shared_ptr<Module> module) {
  check_name(name);
  if (module == nullptr) throw TensorError(this->name(), "the module " + name + " is null");
  modules_.push_back({name, std::move(module)});
}

template <typename T>
Module::Named<Tensor> Module::collect(Entries<T> Module::*entries) const {
  Named<Tensor> tensors;
  for (const auto& [name, module] : named_modules()) {
    for (const Entry<T>& entry : module->*entries) {
      const Tensor& tensor = *entry.value;
      const auto is_listed = [&](const auto& listed) { return listed.second.is_same(tensor); };
      if (!tensor.defined() || std::ranges::any_of(tensors, is_listed)) continue;
      tensors.emplace_back(joined(name, entry.name), tensor);
    }
  }
  return tensors;
}

std::vector<Tensor> Module::parameters() const {
  return values_of(named_parameters());
}

Module::Named<Tensor> Module::named_parameters() const {
  return collect(&Module::parameters_);
}

Module::Named<Tensor> Module::named_buffers() const {
  return collect(&Module::buffers_);
}

std::int64_t Module::num_parameters() const {
  std::int64_t count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

std::vector<Module*> Module::children() {
  return values_of(named_children());
}

Module::Named<Module*> Module::named_children() {
  check_members();
  return children_of<Module>(modules_);
}

Module::Named<const Module*> Module::named_children() const {
  check_members();
  return children_of<const Module>(modules_);
}

template <typename M>
void Module::collect(M& module, const std::string& name, Named<M*>& modules) {
  const auto is_listed = [&](const auto& listed) { return listed.second == &module; };
  if (std::ranges::any_of(modules, is_listed)) return;
  modules.emplace_back(name, &module);
  for (const auto& [child_name, child] : module.named_children()) {
    collect(*child, joined(name, child_name), modules);
  }
}

std::vector<Module*> Module::modules() {
  return values_of(named_modules());
}

Module::Named<Module*> Module::named_modules() {
  Named<Module*> modules;
  collect(*this, "", modules);
  return modules;
}

Module::Named<const Module*> Module::named_modules() const {
  Named<const Module*> modules;
  collect(*this, "", modules);
  return modules;
}

Module& Module::apply(const std::function<void(Module&)>& function) {
  for (Module* const child : children()) child->apply(function);
  function(*this);
  return *this;
}

Module& Module::train(bool training) {
  for (Module* const module : modules()) module->training_ = training;
  return *this;
}

template <typename Converted>
Module& Module::convert(const Converted& converted) {
  const NoGradGuard no_grad;
  const auto change = [&](const Tensor& tensor) {
    const Tensor grad = tensor.grad();
    tensor.set_data(converted(tensor.detach()));
    if (grad.defined()) tensor.mutable_grad() = converted(grad);
  };
  for (const auto& [name, parameter] : named_parameters()) change(parameter);
  for (const auto& [name, buffer] : named_buffers()) change(buffer);
  return *this;
}

Module& Module::to(Device device) {
  return convert([&](const Tensor& tensor) { return tensor.to(device); });
}

Module& Module::to(Dtype dtype) {
  if (!is_floating_point(dtype)) {
    throw TensorError("to", "the dtype of a module", "floating", lectern::name(dtype));
  }
  return convert(
      [&](const Tensor& tensor) { return tensor.is_floating_point() ? tensor.to(dtype) : tensor; });
}

Module& Module::to(Device device, Dtype dtype) {
  return to(dtype).to(device);
}

void Module::zero_grad(bool set_to_none) {
  autograd::zero_grad(parameters(), set_to_none);
}

Module& Module::requires_grad_(bool requires_grad) {
  for (const Tensor& parameter : parameters()) parameter.requires_grad_(requires_grad);
  return *this;
}

}  // namespace lectern::nn
