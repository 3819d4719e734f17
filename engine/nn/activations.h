#pragma once

#include <string>

#include "nn/module.h"
#include "ops/activations.h"
#include "ops/elementwise.h"

// Activations as modules, for nn::Sequential; elsewhere the functions do the same.

namespace lectern::nn {

class Identity : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return x; }
};

class ReLU : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return relu(x); }
};

class SiLU : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return silu(x); }
};

class Tanh : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return tanh(x); }
};

class Sigmoid : public Module {
 public:
  Tensor operator()(const Tensor& x) const { return sigmoid(x); }
};

class GELU : public Module {
 public:
  /// "none" or "tanh" (ops/activations.h).
  explicit GELU(std::string approximate = "none") : approximate_(std::move(approximate)) {}

  Tensor operator()(const Tensor& x) const { return gelu(x, approximate_); }
  std::string extra_repr() const override { return "approximate='" + approximate_ + "'"; }

 private:
  std::string approximate_;
};

}  // namespace lectern::nn
