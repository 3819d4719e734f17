#include "lecture/training_value.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "lecture/tensor_value.h"
#include "nn/repr.h"

namespace lectern {
namespace {

/// Tensors of one value: each has a share of the room that is left.
class Tensors {
 public:
  Tensors(ValueWriter& out, std::size_t count) : out_(out), left_(count) {}

  void write(const Tensor& tensor) {
    write_tensor_share(out_, tensor, left_);
    if (left_ > 1) --left_;
  }

 private:
  ValueWriter& out_;
  std::size_t left_;
};

/// Those that belong to the module itself: names of others have dots.
bool is_own(const std::string& name) {
  return name.find('.') == std::string::npos;
}

void write_module(ValueWriter& out, Tensors& tensors, const nn::Module& module) {
  const auto parameters = module.named_parameters(), buffers = module.named_buffers();
  const auto children = module.named_children();
  if (parameters.empty() && buffers.empty() && children.empty())
    return out.text(module.name(), to_string(module));
  out.begin_fields(module.name());
  for (const auto* named : {&parameters, &buffers}) {
    for (const auto& [name, tensor] : *named) {
      if (!is_own(name)) continue;
      out.field(name);
      tensors.write(tensor);
    }
  }
  for (const auto& [name, child] : children) {
    if (!out.room()) break;
    out.field(name);
    if (!out.seen(child, child->name())) write_module(out, tensors, *child);
  }
  out.end();
}

void write_options(ValueWriter& out, const optim::ParamGroup& group) {
  for (const auto& [name, option] : group.options) {
    out.field(name);
    values::write(out, option);
  }
}

void write_rates(ValueWriter& out, std::string_view name, const std::vector<double>& rates) {
  out.field(name);
  out.begin_items("std::vector<double>", rates.size());
  for (const double rate : rates) {
    if (!out.room()) break;
    out.real(rate);
  }
  out.end();
}

}  // namespace

void to_value(ValueWriter& out, const StateDict& state) {
  Tensors tensors(out, state.size());
  out.begin_entries("StateDict", state.size());
  for (const auto& [name, tensor] : state) {
    if (!out.room()) break;
    out.string(name);
    tensors.write(tensor);
  }
  out.end();
}

void to_value(ValueWriter& out, const nn::Module& module) {
  Tensors tensors(out, module.named_parameters().size() + module.named_buffers().size());
  write_module(out, tensors, module);
}

void to_value(ValueWriter& out, const optim::Optimizer& optimizer) {
  std::size_t number = 0, with_state = 0, count = 0;
  out.begin_fields(nn::class_name(typeid(optimizer)));
  out.field("param_groups");
  out.begin_items("std::vector<ParamGroup>", optimizer.param_groups().size());
  for (const optim::ParamGroup& group : optimizer.param_groups()) {
    if (!out.room()) break;
    out.begin_fields("ParamGroup");
    write_options(out, group);
    out.field("params");
    out.begin_items("std::vector<Tensor>", group.params.size());
    for (const Tensor& parameter : group.params) {
      out.unsigned_integer(number++);
      const optim::Optimizer::State* const kept = optimizer.find_state(parameter);
      if (kept == nullptr) continue;
      ++with_state;
      count += kept->size();
    }
    out.end();
    out.end();
  }
  out.end();

  Tensors tensors(out, count);
  out.field("state");
  out.begin_entries("std::map", with_state);
  number = 0;
  for (const optim::ParamGroup& group : optimizer.param_groups()) {
    for (const Tensor& parameter : group.params) {
      const std::size_t place = number++;
      const optim::Optimizer::State* const kept = optimizer.find_state(parameter);
      if (kept == nullptr || !out.room()) continue;
      out.unsigned_integer(place);
      out.begin_fields("State");
      for (const auto& [name, tensor] : *kept) {
        out.field(name);
        tensors.write(tensor);
      }
      out.end();
    }
  }
  out.end();
  out.end();
}

void to_value(ValueWriter& out, const optim::ParamGroup& group) {
  out.begin_fields("ParamGroup");
  write_options(out, group);
  out.field("params");
  out.begin_items("std::vector<Tensor>", group.params.size());
  Tensors tensors(out, group.params.size());
  for (const Tensor& parameter : group.params) {
    if (!out.room()) break;
    tensors.write(parameter);
  }
  out.end();
  out.end();
}

namespace values {

void write(ValueWriter& out, const optim::Option& option) {
  option.visit([&](const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool>) {
      out.boolean(value);
    } else if constexpr (std::is_integral_v<T>) {
      out.integer(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      out.real(value);
    } else {
      out.begin_items("std::pair<double, double>", value.size());
      for (const double number : value) out.real(number);
      out.end();
    }
  });
}

void write(ValueWriter& out, const Checkpoint& checkpoint) {
  out.begin_entries("Checkpoint", checkpoint.parts().size());
  for (const auto& [name, state] : checkpoint.parts()) {
    out.string(name);
    to_value(out, state);
  }
  out.end();
}

void write(ValueWriter& out, const optim::LRScheduler& scheduler, const std::type_info& type) {
  out.begin_fields(nn::class_name(type));
  out.field("last_epoch");
  out.integer(scheduler.last_epoch());
  write_rates(out, "base_lrs", scheduler.base_lrs());
  write_rates(out, "last_lr", scheduler.get_last_lr());
  out.end();
}

}  // namespace values
}  // namespace lectern
