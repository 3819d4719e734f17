#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "ops/random.h"
#include "ops/random_draw.h"

namespace lectern {
namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

/// `value` rounded to the dtype; itself if that overflows int64.
std::int64_t rounded(Dtype dtype, std::int64_t value) {
  const double held = dispatch(
      dtype, [&](auto tag) { return static_cast<double>(static_cast<typename decltype(tag)::type>(value)); });
  return held >= -0x1p63 && held < 0x1p63 ? static_cast<std::int64_t>(held) : value;
}

/// A floating dtype represents all integers up to 2^digits; an integer dtype all below.
int digits(Dtype dtype) {
  return dispatch(dtype, [](auto tag) { return std::numeric_limits<typename decltype(tag)::type>::digits; });
}

/// The spacing of a floating dtype's values at `value`.
std::int64_t spacing(Dtype dtype, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t size = value < 0 ? 0 - bits : bits;
  return std::int64_t{1} << (static_cast<int>(std::bit_width(size)) - digits(dtype));
}

/// Moves a bound that a floating dtype cannot represent inwards, so that no draw is rounded out of [from,
/// to).
std::int64_t first_held(Dtype dtype, std::int64_t from) {
  if (from == kLargest) return from;
  const std::int64_t next = rounded(dtype, from + 1);
  return next < from ? next + spacing(dtype, from + 1) : from;
}
std::int64_t end_held(Dtype dtype, std::int64_t to) {
  const std::int64_t last = rounded(dtype, to - 1);
  return last >= to ? last - spacing(dtype, to - 1) : to;
}

/// What is called, and its bounds, as errors name them.
struct Names {
  std::string_view operation, from, to;
};

void check_bound(std::string_view operation, std::string_view argument, Dtype dtype, std::int64_t value) {
  const bool held = dispatch(dtype, [&](auto tag) {
    using Limits = std::numeric_limits<typename decltype(tag)::type>;
    if constexpr (Limits::is_integer) {
      return value >= static_cast<std::int64_t>(Limits::lowest()) &&
             value <= static_cast<std::int64_t>(Limits::max());
    } else {
      return std::abs(static_cast<double>(value)) <= static_cast<double>(Limits::max());
    }
  });
  if (!held) {
    throw TensorError(operation, argument, "a number that " + std::string(name(dtype)) + " holds",
                      std::to_string(value));
  }
}

/// As random_() below.
void fill_between(const Names& names, const Tensor& tensor, std::int64_t from, std::optional<std::int64_t> to,
                  Generator* generator) {
  const Dtype dtype = tensor.dtype();
  const bool floating = is_floating_point(dtype);
  if (!to && from == kSmallest) {
    if (dtype != int64 && dtype != float64 && dtype != float32 && dtype != bfloat16) {
      throw TensorError(names.operation, "the dtype for all of int64's numbers",
                        "int64, float64, float32 or bfloat16", name(dtype));
    }
    draw(names.operation, tensor, generator, kernels::fill_all_integers);
    return;
  }
  if (to && from >= *to) {
    throw TensorError(names.operation, names.from,
                      "less than `" + std::string(names.to) + "`, " + std::to_string(*to),
                      std::to_string(from));
  }
  const std::int64_t first = floating ? first_held(dtype, from) : from;
  std::int64_t last;
  if (to) {
    last = (floating ? end_held(dtype, *to) : *to) - 1;
  } else {
    last = floating ? std::int64_t{1} << digits(dtype) : dispatch(dtype, [](auto tag) {
      return static_cast<std::int64_t>(std::numeric_limits<typename decltype(tag)::type>::max());
    });
  }
  if (first > last) {
    throw TensorError(names.operation, std::string(name(dtype)) + " holds no number from " +
                                           std::to_string(from) + " to " + std::to_string(last));
  }
  check_bound(names.operation, names.from, dtype, first);
  check_bound(names.operation, std::string(names.to) + " - 1", dtype, last);
  const std::uint64_t range = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) + 1;
  draw(names.operation, tensor, generator, kernels::fill_integers, range, first);
}

}  // namespace

const Tensor& Tensor::random_(Generator* generator) const {
  draw("random_", *this, generator, kernels::fill_natural);
  return *this;
}

const Tensor& Tensor::random_(std::int64_t to, Generator* generator) const {
  return random_(0, to, generator);
}

const Tensor& random_(const Tensor& tensor, std::int64_t from, std::optional<std::int64_t> to,
                      Generator* generator) {
  fill_between({"random_", "from", "to"}, tensor, from, to, generator);
  return tensor;
}

Tensor randint(std::int64_t high, const Sizes& sizes, const TensorOptions& options, Generator* generator) {
  return randint(0, high, sizes, options, generator);
}

Tensor randint(std::int64_t low, std::int64_t high, const Sizes& sizes, const TensorOptions& options,
               Generator* generator) {
  TensorOptions made = options;
  made.dtype = options.dtype.value_or(int64);
  const Tensor result = empty_to_fill("randint", sizes, made);
  fill_between({"randint", "low", "high"}, result, low, high, generator);
  return result;
}

Tensor randperm(std::int64_t n, const TensorOptions& options, Generator* generator) {
  TensorOptions made = options;
  made.dtype = options.dtype.value_or(int64);
  if (n < 0) throw TensorError("randperm", "n", "0 or more", std::to_string(n));
  if (*made.dtype == bool_) throw TensorError("randperm", "dtype", "a number's", "bool");
  const double last = std::ldexp(1.0, digits(*made.dtype)) - (is_floating_point(*made.dtype) ? 0 : 1);
  if (static_cast<double>(n - 1) > last) {
    throw TensorError("randperm", "n",
                      "so small that " + std::string(name(*made.dtype)) + " holds all numbers below it",
                      std::to_string(n));
  }
  const Tensor result = empty({n}, made);
  draw("randperm", result, generator, kernels::fill_permutation);
  return result;
}

}  // namespace lectern
