#pragma once

#include <string>

#include "nn/module.h"
#include "nn/repr.h"
#include "ops/pooling.h"

// Pooling as modules, for nn::Sequential; elsewhere the functions do the same.

namespace lectern::nn {

/// What windows have in common, by max_pool1d() and the like (ops/pooling.h). kShown prints a size.
template <typename Options, Tensor (*kFunction)(const Tensor&, const Sizes&, const Options&),
          std::string (*kShown)(const Sizes&) = repr_as_given>
class Pool : public Module {
 public:
  explicit Pool(const Sizes& kernel_size, const Options& options = {})
      : kernel_size_(kernel_size), options_(options) {
    if (options_.stride.empty()) options_.stride = kernel_size_;
  }

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return kFunction(in, kernel_size_, options_); });
  }
  std::string extra_repr() const override {
    std::string text = "kernel_size=" + kShown(kernel_size_) + ", stride=" + kShown(options_.stride) +
                       ", padding=" + kShown(options_.padding);
    if constexpr (requires { options_.dilation; })
      text += ", dilation=" + kShown(options_.dilation) + ", ceil_mode=" + repr(options_.ceil_mode);
    return text;
  }

 private:
  Sizes kernel_size_;
  Options options_;
};

class MaxPool1d : public Pool<MaxPoolOptions, max_pool1d> {
 public:
  using Pool::Pool;
};
class MaxPool2d : public Pool<MaxPoolOptions, max_pool2d> {
 public:
  using Pool::Pool;
};
class AvgPool1d : public Pool<AvgPoolOptions, avg_pool1d, repr> {
 public:
  using Pool::Pool;
};
class AvgPool2d : public Pool<AvgPoolOptions, avg_pool2d> {
 public:
  using Pool::Pool;
};

/// Windows that make the result so large.
template <Tensor (*kFunction)(const Tensor&, const Sizes&)>
class AdaptivePool : public Module {
 public:
  explicit AdaptivePool(const Sizes& output_size) : output_size_(output_size) {}

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return kFunction(in, output_size_); });
  }
  std::string extra_repr() const override { return "output_size=" + repr_as_given(output_size_); }

 private:
  Sizes output_size_;
};

class AdaptiveAvgPool1d : public AdaptivePool<adaptive_avg_pool1d> {
 public:
  using AdaptivePool::AdaptivePool;
};
class AdaptiveAvgPool2d : public AdaptivePool<adaptive_avg_pool2d> {
 public:
  using AdaptivePool::AdaptivePool;
};
class AdaptiveMaxPool1d : public AdaptivePool<adaptive_max_pool1d> {
 public:
  using AdaptivePool::AdaptivePool;
};
class AdaptiveMaxPool2d : public AdaptivePool<adaptive_max_pool2d> {
 public:
  using AdaptivePool::AdaptivePool;
};

}  // namespace lectern::nn
