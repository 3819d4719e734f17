#pragma once

#include <string>

#include "nn/module.h"
#include "nn/repr.h"
#include "ops/pooling.h"

// Pooling as modules, for nn::Sequential; elsewhere the functions do the same.

namespace lectern::nn {

/// One size for all dimensions as it was given: "2", else "(2, 3)".
inline std::string repr_of_sizes(const Sizes& sizes) {
  return sizes.size() == 1 ? std::to_string(sizes[0]) : repr(sizes);
}

/// The largest element of each window.
template <Tensor (*kFunction)(const Tensor&, const Sizes&, const MaxPoolOptions&)>
class MaxPool : public Module {
 public:
  explicit MaxPool(const Sizes& kernel_size, const MaxPoolOptions& options = {})
      : kernel_size_(kernel_size), options_(options) {
    if (options_.stride.empty()) options_.stride = kernel_size_;
  }

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return kFunction(in, kernel_size_, options_); });
  }
  std::string extra_repr() const override {
    return "kernel_size=" + repr_of_sizes(kernel_size_) + ", stride=" + repr_of_sizes(options_.stride) +
           ", padding=" + repr_of_sizes(options_.padding) + ", dilation=" + repr_of_sizes(options_.dilation) +
           ", ceil_mode=" + repr(options_.ceil_mode);
  }

 private:
  Sizes kernel_size_;
  MaxPoolOptions options_;
};

class MaxPool1d : public MaxPool<max_pool1d> {
 public:
  using MaxPool::MaxPool;
};
class MaxPool2d : public MaxPool<max_pool2d> {
 public:
  using MaxPool::MaxPool;
};

/// The mean of each window.
template <Tensor (*kFunction)(const Tensor&, const Sizes&, const AvgPoolOptions&)>
class AvgPool : public Module {
 public:
  explicit AvgPool(const Sizes& kernel_size, const AvgPoolOptions& options = {})
      : kernel_size_(kernel_size), options_(options) {
    if (options_.stride.empty()) options_.stride = kernel_size_;
  }

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return kFunction(in, kernel_size_, options_); });
  }
  std::string extra_repr() const override {
    return "kernel_size=" + repr_of_sizes(kernel_size_) + ", stride=" + repr_of_sizes(options_.stride) +
           ", padding=" + repr_of_sizes(options_.padding);
  }

 private:
  Sizes kernel_size_;
  AvgPoolOptions options_;
};

class AvgPool1d : public AvgPool<avg_pool1d> {
 public:
  using AvgPool::AvgPool;
};
class AvgPool2d : public AvgPool<avg_pool2d> {
 public:
  using AvgPool::AvgPool;
};

/// Windows that make the result so large.
template <Tensor (*kFunction)(const Tensor&, const Sizes&)>
class AdaptivePool : public Module {
 public:
  explicit AdaptivePool(const Sizes& output_size) : output_size_(output_size) {}

  Tensor operator()(const Tensor& x) const {
    return hooked(x, [&](const Tensor& in) { return kFunction(in, output_size_); });
  }
  std::string extra_repr() const override { return "output_size=" + repr_of_sizes(output_size_); }

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
