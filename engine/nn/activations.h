#pragma once

#include <string>

#include "nn/module.h"
#include "ops/activations.h"
#include "ops/elementwise.h"

// Activations as modules, for nn::Sequential; elsewhere the functions do the same.

namespace lectern::nn {

class Identity : public Module {
 public:
  Tensor operator()(const Tensor& x) const {
    return hooked(x, [](const Tensor& in) { return in; });
  }
};

/// An elementwise function.
template <Tensor (*kFunction)(const Tensor&)>
class Activation : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return hooked(x, kFunction); }
};

class ReLU : public Activation<relu> {};
class SiLU : public Activation<silu> {};
class Tanh : public Activation<tanh> {};
class Sigmoid : public Activation<sigmoid> {};

class GELU : public Module {
 public:
  /// "none" or "tanh" (ops/activations.h).
  explicit GELU(std::string approximate = "none") : approximate_(std::move(approximate)) {}

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return gelu(in, approximate_); });
  }
  std::string extra_repr() const override { return "approximate='" + approximate_ + "'"; }

 private:
  std::string approximate_;
};

}  // namespace lectern::nn
