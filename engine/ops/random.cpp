#include "ops/random.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "base/number_text.h"
#include "ops/random_draw.h"
#include "tensor/overlap.h"

namespace lectern {
namespace {

using kernels::WeightProblem;

void check_floating(std::string_view operation, std::string_view argument, Dtype dtype) {
  if (!is_floating_point(dtype)) throw TensorError(operation, argument, "of a floating dtype", name(dtype));
}

/// The largest value of a dtype.
double largest(Dtype dtype) {
  return dispatch(dtype, [](auto tag) {
    return static_cast<double>(std::numeric_limits<typename decltype(tag)::type>::max());
  });
}

double normal_cdf(double x) {
  return (1 + std::erf(x / std::sqrt(2.0))) / 2;
}

std::string_view describe(WeightProblem problem) {
  switch (problem) {
    case WeightProblem::negative:
      return "a weight is below 0";
    case WeightProblem::not_finite:
      return "a weight is infinite or not a number";
    case WeightProblem::no_sum:
      return "the weights sum to 0";
    case WeightProblem::none:
      break;
  }
  return {};
}

}  // namespace

const Tensor& Tensor::uniform_(double from, double to, Generator* generator) const {
  check_floating("uniform_", "the tensor", dtype());
  const double limit = largest(dtype());
  if (!(from <= to))
    throw TensorError("uniform_", "from", "at most `to`, " + number_text(to), number_text(from));
  if (!(std::abs(from) <= limit && std::abs(to) <= limit && to - from <= limit)) {
    throw TensorError("uniform_", "from, to and their difference",
                      "numbers that " + std::string(name(dtype())) + " holds",
                      number_text(from) + " and " + number_text(to));
  }
  draw("uniform_", *this, generator, kernels::fill_uniform, from, to);
  return *this;
}

const Tensor& Tensor::normal_(double mean, double std, Generator* generator) const {
  check_floating("normal_", "the tensor", dtype());
  if (!(std >= 0)) throw TensorError("normal_", "std", "0 or more", number_text(std));
  draw("normal_", *this, generator, kernels::fill_normal, mean, std);
  return *this;
}

const Tensor& Tensor::bernoulli_(double p, Generator* generator) const {
  if (!(p >= 0 && p <= 1)) throw TensorError("bernoulli_", "p", "in [0, 1]", number_text(p));
  draw("bernoulli_", *this, generator, kernels::fill_bernoulli, p);
  return *this;
}

const Tensor& Tensor::bernoulli_(const Tensor& p, Generator* generator) const {
  check_floating("bernoulli_", "p", p.dtype());
  const Tensor odds = without_overlap("bernoulli_", *this, p.to(device()).expand(sizes()));
  const auto fill = [](auto&&... arguments) {
    if (!kernels::fill_bernoulli_each(arguments...))
      throw TensorError("bernoulli_", "every element of p must be in [0, 1]");
  };
  draw("bernoulli_", *this, generator, fill, random_array(odds));
  if (numel() > 0) count(0, bytes_in_memory(p));
  return *this;
}

const Tensor& Tensor::exponential_(double lambda, Generator* generator) const {
  check_floating("exponential_", "the tensor", dtype());
  if (!(lambda >= 0)) throw TensorError("exponential_", "lambda", "0 or more", number_text(lambda));
  draw("exponential_", *this, generator, kernels::fill_exponential, lambda);
  return *this;
}

const Tensor& trunc_normal_(const Tensor& tensor, double mean, double std, double a, double b,
                            Generator* generator) {
  check_floating("trunc_normal_", "the tensor", tensor.dtype());
  if (!(std > 0)) throw TensorError("trunc_normal_", "std", "above 0", number_text(std));
  if (!(a <= b)) throw TensorError("trunc_normal_", "a", "at most b, " + number_text(b), number_text(a));
  const double low = normal_cdf((a - mean) / std);
  const double high = normal_cdf((b - mean) / std);
  draw("trunc_normal_", tensor, generator, kernels::fill_truncated_normal,
       kernels::TruncatedNormal{2 * low - 1, 2 * high - 1, std * std::sqrt(2.0), mean, a, b});
  return tensor;
}

Tensor rand(const Sizes& sizes, const TensorOptions& options, Generator* generator) {
  const NoGradGuard no_grad;
  return empty_to_fill("rand", sizes, options).uniform_(0, 1, generator);
}

Tensor rand_like(const Tensor& like, const TensorOptions& options, Generator* generator) {
  const NoGradGuard no_grad;
  return empty_like(like, options).uniform_(0, 1, generator);
}

Tensor randn(const Sizes& sizes, const TensorOptions& options, Generator* generator) {
  const NoGradGuard no_grad;
  return empty_to_fill("randn", sizes, options).normal_(0, 1, generator);
}

Tensor randn_like(const Tensor& like, const TensorOptions& options, Generator* generator) {
  const NoGradGuard no_grad;
  return empty_like(like, options).normal_(0, 1, generator);
}

Tensor bernoulli(const Tensor& p, Generator* generator) {
  return empty(p.sizes(), {.dtype = p.dtype(), .device = p.device()}).bernoulli_(p, generator);
}

Tensor multinomial(const Tensor& weights, std::int64_t samples, bool replacement, Generator* generator) {
  check_floating("multinomial", "weights", weights.dtype());
  if (weights.dim() != 1 && weights.dim() != 2) {
    throw TensorError("multinomial", "weights", "a vector or a matrix",
                      "of shape " + to_string(weights.sizes()));
  }
  const std::int64_t categories = weights.size(-1);
  const std::int64_t rows = weights.dim() == 2 ? weights.size(0) : 1;
  if (samples <= 0) throw TensorError("multinomial", "samples", "above 0", std::to_string(samples));
  if (!replacement && samples > categories) {
    throw TensorError(
        "multinomial", "samples",
        "at most the number of categories, " + std::to_string(categories) + ", without replacement",
        std::to_string(samples));
  }
  const Tensor result = empty(weights.dim() == 2 ? Sizes{rows, samples} : Sizes{samples},
                              {.dtype = int64, .device = weights.device()});
  const Tensor dense = uncounted([&] { return weights.contiguous(); });
  WeightProblem problem = WeightProblem::none;
  if (replacement) {
    const auto fill = [&](auto&&... arguments) { problem = kernels::sample_categories(arguments...); };
    draw("multinomial", result, generator, fill, random_array(dense), rows, categories, samples);
  } else if (rows > 0) {
    // The category with the largest weight / exponential draw.
    const Tensor drawn = empty_like(weights).exponential_(1, generator);
    const Tensor times = uncounted([&] { return drawn.contiguous(); });
    problem = kernels::choose_categories("multinomial", weights.device(), random_array(result),
                                         random_array(dense), random_array(times), rows, categories, samples);
    count(0, result.nbytes());
  }
  if (problem != WeightProblem::none) throw TensorError("multinomial", describe(problem));
  count(0, bytes_in_memory(weights));
  return result;
}

}  // namespace lectern
