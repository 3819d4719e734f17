#pragma once

#include <cstdint>
#include <optional>

#include "tensor/creation.h"
#include "tensor/generator.h"

// Random numbers: PyTorch's. On the CPU those of version 1.13, bit for bit, whatever the dtype, the size and
// the strides; on CUDA its counters and algorithms, where large fills depend on the GPU's size, as they do in
// PyTorch (kernels/cuda/random.h). Without a generator they come from the default one of the device. The
// dtype is float32 unless said otherwise; the float8 types hold no random numbers. On CUDA, multinomial and
// bernoulli of a tensor wait for the GPU, to tell of wrong probabilities. Tensor's methods uniform_, normal_,
// bernoulli_, random_ and exponential_ are defined here too. Every wrong argument is a TensorError.

namespace lectern {

/// Uniform on [0, 1).
Tensor rand(const Sizes& sizes, const TensorOptions& options = {}, Generator* generator = nullptr);
Tensor rand_like(const Tensor& like, const TensorOptions& options = {}, Generator* generator = nullptr);

/// Standard normal.
Tensor randn(const Sizes& sizes, const TensorOptions& options = {}, Generator* generator = nullptr);
Tensor randn_like(const Tensor& like, const TensorOptions& options = {}, Generator* generator = nullptr);

/// Integers from `low` (or 0) to `high` - 1; int64 unless said otherwise.
Tensor randint(std::int64_t high, const Sizes& sizes, const TensorOptions& options = {},
               Generator* generator = nullptr);
Tensor randint(std::int64_t low, std::int64_t high, const Sizes& sizes, const TensorOptions& options = {},
               Generator* generator = nullptr);

/// 0 … n - 1 in random order; int64 unless said otherwise.
Tensor randperm(std::int64_t n, const TensorOptions& options = {}, Generator* generator = nullptr);

/// 1 with the probability that `p` holds at the place, else 0; of p's shape and dtype.
Tensor bernoulli(const Tensor& p, Generator* generator = nullptr);

/// For a vector of weights, or for each row of a matrix, `samples` numbers of categories (int64), drawn in
/// proportion to the weights: [samples] or [rows, samples]. Weights need not sum to 1. Without replacement,
/// categories differ; once those of a weight above 0 are used up, others follow. O(categories + samples log
/// categories) a row.
Tensor multinomial(const Tensor& weights, std::int64_t samples, bool replacement = false,
                   Generator* generator = nullptr);

/// Tensor::random_ with an open end: integers from `from` to the largest that the dtype holds (of a floating
/// one: 2^digits, up to which it holds them all). From the smallest int64: all of int64's.
const Tensor& random_(const Tensor& tensor, std::int64_t from, std::optional<std::int64_t> to,
                      Generator* generator = nullptr);

/// A normal distribution of which only [a, b] is left, by inverting its cumulative distribution function: the
/// initialisation torch.nn.init.trunc_normal_.
const Tensor& trunc_normal_(const Tensor& tensor, double mean = 0, double std = 1, double a = -2,
                            double b = 2, Generator* generator = nullptr);

}  // namespace lectern
