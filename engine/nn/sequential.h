#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/tensor_error.h"
#include "nn/module.h"

namespace lectern::nn {

/// A module that maps one tensor to another.
template <typename M>
concept Layer = std::derived_from<M, Module> && std::is_invocable_r_v<Tensor, const M&, const Tensor&>;

/// A chain of layers named "0", "1", …:
///
///   nn::Sequential model{nn::Linear(4, 8), nn::ReLU(), nn::Linear(8, 1)};
///
/// Braces construct the layers from left to right, so they draw random values in that order; with parentheses
/// C++ leaves the order unspecified.
class Sequential : public Module {
 public:
  Sequential() = default;
  template <Layer... Layers>
  requires(!std::is_reference_v<Layers> && ...) explicit Sequential(Layers&&... layers) {
    (push_back(std::move(layers)), ...);
  }

  template <Layer L>
  L& push_back(L layer) {
    const auto shared = std::make_shared<L>(std::move(layer));
    register_module(std::to_string(size()), shared);
    steps_.push_back({shared.get(), [](const Module& module, const Tensor& x) -> Tensor {
                        return static_cast<const L&>(module)(x);
                      }});
    return *shared;
  }

  std::size_t size() const { return steps_.size(); }
  /// A TensorError when out of range.
  Module& operator[](std::size_t i) const {
    if (i < size()) return *steps_[i].module;
    throw TensorError("Sequential", "the index", "below " + std::to_string(size()), std::to_string(i));
  }

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) {
      Tensor result = in;
      for (const Step& step : steps_) result = step.call(*step.module, result);
      return result;
    });
  }

 private:
  struct Step {
    Module* module;
    Tensor (*call)(const Module& module, const Tensor& x);
  };
  std::vector<Step> steps_;
};

}  // namespace lectern::nn
