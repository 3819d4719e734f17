#pragma once

#include <cstdint>
#include <optional>

#include "tensor/creation.h"
#include "tensor/generator.h"

// Random values: PyTorch's. On the CPU those of version 1.13, bit for bit, for any dtype, size and strides;
// on CUDA its counters and algorithms, where large fills depend on the GPU's size, as they do in PyTorch
// (kernels/random.h). Without a generator they come from the device's default one. The default dtype is
// float32; float8 types are not supported. On CUDA, multinomial and bernoulli of a tensor synchronize, to
// report invalid probabilities. Tensor's methods uniform_, normal_, bernoulli_, random_ and exponential_ are
// defined here too. Every wrong argument is a TensorError.

namespace lectern {

/// Uniform on [0, 1).
Tensor rand(const Sizes& sizes, const TensorOptions& options = {}, Generator* generator = nullptr);
Tensor rand_like(const Tensor& like, const TensorOptions& options = {}, Generator* generator = nullptr);

/// Standard normal.
Tensor randn(const Sizes& sizes, const TensorOptions& options = {}, Generator* generator = nullptr);
Tensor randn_like(const Tensor& like, const TensorOptions& options = {}, Generator* generator = nullptr);

/// Integers from `low` (or 0) to `high` - 1; int64 by default.
Tensor randint(std::int64_t high, const Sizes& sizes, const TensorOptions& options = {},
               Generator* generator = nullptr);
Tensor randint(std::int64_t low, std::int64_t high, const Sizes& sizes, const TensorOptions& options = {},
               Generator* generator = nullptr);

/// A random permutation of 0 … n - 1; int64 by default.
Tensor randperm(std::int64_t n, const TensorOptions& options = {}, Generator* generator = nullptr);

/// 1 with the probability given by `p`'s element, else 0; of p's shape and dtype.
Tensor bernoulli(const Tensor& p, Generator* generator = nullptr);

/// For a vector of weights, or each row of a matrix, `samples` category indices (int64), drawn in proportion
/// to the weights: [samples] or [rows, samples]. Weights need not sum to 1. Without replacement, categories
/// are distinct; when those of positive weight are used up, others follow. O(categories + samples log
/// categories) per row.
Tensor multinomial(const Tensor& weights, std::int64_t samples, bool replacement = false,
                   Generator* generator = nullptr);

/// Tensor::random_ without an upper bound: integers from `from` to the dtype's maximum (for floating dtypes
/// 2^digits, up to which all integers are exact). From the smallest int64: all of int64.
const Tensor& random_(const Tensor& tensor, std::int64_t from, std::optional<std::int64_t> to,
                      Generator* generator = nullptr);

/// A normal distribution truncated to [a, b], by inverting its cumulative distribution function:
/// torch.nn.init.trunc_normal_.
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, Generator* generator = nullptr);

}  // namespace lectern
