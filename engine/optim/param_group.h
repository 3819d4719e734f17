#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::optim {

/// The value of an optimizer's option: a number, a bool, or, for betas, two numbers.
class Option {
 public:
  Option(bool value) : value_(value) {}
  template <std::integral T>
  Option(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Option(T value) : value_(static_cast<double>(value)) {}
  Option(double first, double second) : value_(std::array{first, second}) {}
  Option(std::pair<double, double> both) : Option(both.first, both.second) {}

  /// As a number; a bool is 1 or 0. A TensorError for two numbers.
  double value() const;
  operator double() const { return value(); }
  operator Scalar() const { return value(); }
  /// Whether it is nonzero: `if (group["nesterov"])`.
  explicit operator bool() const { return value() != 0; }
  /// One of two numbers; a TensorError for other options.
  double operator[](std::size_t at) const;

  /// visitor(value) with a bool, an int64, a double or an array of two doubles.
  template <typename Visitor>
  decltype(auto) visit(const Visitor& visitor) const {
    return std::visit(visitor, value_);
  }

  /// Of dtype bool, int64 or float64; two numbers have shape [2], others [].
  Tensor tensor() const;
  /// Assigns the value of a tensor, of the kind of its dtype; false when its number of elements differs.
  bool assign(const Tensor& tensor);

 private:
  std::variant<bool, std::int64_t, double, std::array<double, 2>> value_;
};

/// By name.
using Options = std::map<std::string, Option, std::less<>>;

/// Parameters with the same options.
struct ParamGroup {
  std::vector<Tensor> params;
  Options options = {};  ///< as passed to an optimizer, only those that differ from its own; then all
  std::optional<double> initial_lr = {};  ///< the "lr" at the first LRScheduler

  /// An option: `group["lr"] = 0.1`. A TensorError for an unknown name.
  Option& operator[](std::string_view name);
  const Option& operator[](std::string_view name) const;
};

/// The argument of optimizers: parameters, forming one group, or groups.
class Params {
 public:
  Params(const std::vector<Tensor>& params) : groups_{{params}} {}
  Params(std::initializer_list<Tensor> params) : groups_{{params}} {}
  Params(std::vector<ParamGroup> groups) : groups_(std::move(groups)) {}
  Params(std::initializer_list<ParamGroup> groups) : groups_(groups) {}

  const std::vector<ParamGroup>& groups() const { return groups_; }

 private:
  std::vector<ParamGroup> groups_;
};

}  // namespace lectern::optim
