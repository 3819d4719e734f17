#include "optim/param_group.h"

#include <type_traits>

#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern::optim {

using Pair = std::array<double, 2>;

double Option::value() const {
  return std::visit(
      [](const auto& value) -> double {
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>) {
          return static_cast<double>(value);
        } else {
          throw TensorError("optimizer", "the option", "one number", "a pair; select one with [0] or [1]");
        }
      },
      value_);
}

double Option::operator[](std::size_t at) const {
  const Pair* pair = std::get_if<Pair>(&value_);
  if (pair == nullptr || at > 1)
    throw TensorError("optimizer", "an option has [0] and [1] only if it is a pair, and no others");
  return (*pair)[at];
}

Tensor Option::tensor() const {
  return std::visit(
      [](const auto& value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, Pair>) {
          return lectern::tensor({value[0], value[1]}, {.dtype = float64, .device = cpu});
        } else {
          return full({}, value, {.dtype = Scalar(value).dtype(), .device = cpu});
        }
      },
      value_);
}

bool Option::assign(const Tensor& tensor) {
  const bool pair = std::holds_alternative<Pair>(value_);
  if (tensor.sizes() != (pair ? Sizes{2} : Sizes{})) return false;
  if (pair) {
    value_ = Pair{tensor[0].item<double>(), tensor[1].item<double>()};
    return true;
  }
  const Scalar value = tensor.item();
  if (tensor.dtype() == bool_) {
    value_ = value.to_bool();
  } else if (tensor.is_floating_point()) {
    value_ = value.to_double();
  } else {
    value_ = value.to_int64();
  }
  return true;
}

template <typename AnyOptions>
static auto& find_option(AnyOptions& options, std::string_view name) {
  const auto found = options.find(name);
  if (found != options.end()) return found->second;
  std::string known;
  for (const auto& [option, value] : options) known += (known.empty() ? "" : ", ") + option;
  throw TensorError("optimizer", "an option", "one of " + known, std::string(name));
}

Option& ParamGroup::operator[](std::string_view name) {
  return find_option(options, name);
}

const Option& ParamGroup::operator[](std::string_view name) const {
  return find_option(options, name);
}

}  // namespace lectern::optim
