// Lecture 4, the noise of gradients beside that of rounding.

#include "parts.h"

namespace {

// Regression of a function of 16 variables by a small network.
struct Problem {
  Tensor x, y;
  nn::Linear first, second;

  explicit Problem(int64_t points) : first(16, 32, {.dtype = float64}), second(32, 1, {.dtype = float64}) {
    x = randn({points, 16}, {.dtype = float64});
    y = (x.narrow(1, 0, 1) * x.narrow(1, 1, 1)).sin() + 0.5 * randn({points, 1}, {.dtype = float64});
  }
  std::vector<Tensor> parameters() const { return {first.weight, first.bias, second.weight, second.bias}; }

  // The gradient of the mean loss on some points, as one vector of float64, computed in a dtype.
  Tensor gradient(int64_t begin, int64_t count, Dtype dtype) const {
    std::vector<Tensor> rounded;
    for (const Tensor& p : parameters()) rounded.push_back(p.detach().to(dtype).clone().requires_grad_());
    const Tensor input = x.narrow(0, begin, count).to(dtype), wanted = y.narrow(0, begin, count).to(dtype);
    const Tensor said = linear(linear(input, rounded[0], rounded[1]).tanh(), rounded[2], rounded[3]);
    (said - wanted).square().mean().backward();
    std::vector<Tensor> parts;
    for (const Tensor& p : rounded) parts.push_back(p.grad().to(float64).flatten());
    return cat(parts);
  }
};

double squared(const Tensor& vector) {
  return vector.square().sum().item();
}

void two_variances(), no_noise_to_hide_in();

}  // namespace

void noise() {
  text("## Noise");
  text(R"(
    Networks are trained with numbers of two or three digits. In most of scientific computing that would be absurd.
    What makes the difference can be measured.)");
  two_variances();
  no_noise_to_hide_in();
}

namespace {

void two_variances() {
  text("### Two variances");
  text(R"(
    The gradient of a batch is an estimate of that of all data. With $g_i$ the gradient of point $i$ and $\sigma^2$
    the variance of these, the mean of $B$ of them has the variance $\sigma^2 / B$: the noise of the **gradient**. The
    noise of **rounding** is how far the same gradient, of the same batch, lies from what float64 gives. Both are
    mean squared lengths of vectors, and can be compared.)");
  manual_seed(0);
  const int64_t points = 8192;
  const Problem problem(points);                              // @stepover
  const Tensor whole = problem.gradient(0, points, float64);  // @stepover
  const double signal = squared(whole);                       // @stepover
  const auto variance_of_batches = [&](int64_t B) {           // @stepover
    double sum = 0;
    for (int64_t begin = 0; begin < points; begin += B) sum += squared(problem.gradient(begin, B, float64) - whole);
    return sum / static_cast<double>(points / B);
  };
  std::vector<double> sizes, of_gradient;
  for (const int64_t B : {16, 64, 256, 1024}) {  // @stepover
    sizes.push_back(static_cast<double>(B));
    of_gradient.push_back(variance_of_batches(B));
  }
  text("The gradient itself has the squared length {:.2f}. The noise falls as $1/B$, by this measure too:", signal);
  for (std::size_t i = 0; i < sizes.size(); ++i) {  // @stepover
    assert(std::abs(of_gradient[i] * sizes[i] / (of_gradient[0] * sizes[0]) - 1) < 0.35);
  }
  const auto variance_of_rounding = [&](Dtype dtype) {  // @stepover
    double sum = 0;
    for (int64_t k = 0; k < 16; ++k)
      sum += squared(problem.gradient(64 * k, 64, dtype) - problem.gradient(64 * k, 64, float64));
    return sum / 16;
  };
  const double of_bfloat16 = variance_of_rounding(bfloat16);                      // @stepover
  const double of_float16 = variance_of_rounding(float16);                        // @stepover
  const double of_float32 = variance_of_rounding(float32);                        // @stepover
  const auto digits = [](double value) { return fmt::format("{:.1g}", value); };  // @stepover
  // The last digits of what rounding leaves depend on the processor.
  // @volatile
  table({"Variance", "Of one gradient of 64 points", "Relative to the gradient's noise"},
        {{"gradient, B = 64", digits(of_gradient[1]), 1},
         {"rounding to bfloat16", digits(of_bfloat16), digits(of_bfloat16 / of_gradient[1])},
         {"rounding to float16", digits(of_float16), digits(of_float16 / of_gradient[1])},
         {"rounding to float32", digits(of_float32), digits(of_float32 / of_gradient[1])}});
  assert(of_bfloat16 < of_gradient[1] / 100);                 // @volatile
  assert(of_float16 < of_bfloat16 / 10);                      // @volatile
  assert(of_float32 < of_gradient[1] * 1e-10);                // @volatile
  const double equal_at = 64 * of_gradient[1] / of_bfloat16;  // @stepover
  // @volatile
  text(R"(
    If it does not depend on the batch, rounding to bfloat16 is as loud as the gradient's own noise with about
    {:.0f} million points. With far fewer it is swamped, and finer arithmetic buys nothing that a slightly larger batch
    would not.)",
       equal_at / 1e6);
  text(R"(
    There is a condition: rounding must be noise, as likely up as down. A sum that is rounded down in each step, or an
    update that always vanishes, is not noise but a bias, and no batch averages it away. Float32 copies of the
    parameters, and float32 sums in products and norms, guard against that.)");
}

// ∫ xⁿ eˣ⁻¹ dx from 0 to 1, by parts; its error is n! times that of the first.
template <typename Real>
std::vector<double> integrals() {
  std::vector<double> values;
  auto value = static_cast<Real>(1 - std::exp(-1.0));
  for (int n = 0; n <= 14; ++n) {
    if (n > 0) value = 1 - static_cast<Real>(n) * value;
    values.push_back(static_cast<double>(value));
  }
  return values;
}

void no_noise_to_hide_in() {
  text("### Where there is no noise");
  text(R"(
    Compare a computation whose inputs are exact. $I_n = \int_0^1 x^n e^{x - 1} dx$ lies between 0 and $1 / (n + 1)$,
    and integration by parts gives $I_n = 1 - n I_{n-1}$. Each step multiplies the error of the one before by $n$, and
    nothing else is uncertain.)");
  const std::vector<double> in_float32 = integrals<float>();   // @stepover
  const std::vector<double> in_float64 = integrals<double>();  // @stepover
  std::vector<TableRow> rows;
  for (const std::size_t n : {4, 8, 10, 12, 14}) {  // @stepover
    rows.push_back({n, fmt::format("{:.6f}", in_float32[n]), fmt::format("{:.6f}", in_float64[n])});
  }
  table({"n", "float32", "float64"}, rows);
  assert(in_float32[12] < -1 && in_float64[12] > 0 && in_float64[12] < 1 / 13.);
  text(R"(
    With $n = 10$ no digit of the float32 result is right, and with $n = 12$ not even the sign. Computations of that
    kind need more digits, and their inputs may have them: the positions of planets are known to more than float32
    holds. A gradient is not; it is known to as many digits as its batch allows.)");
}

}  // namespace
