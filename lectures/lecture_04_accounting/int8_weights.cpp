// Lecture 4, weights of eight bits.

#include "student.h"

namespace {

struct Quantized {
  Tensor q;      // int8
  Tensor scale;  // float32, one for each group

  int64_t nbytes() const { return q.nbytes() + scale.nbytes(); }
  Tensor restored() const { return q.to(float32) * scale; }
};

// The elements of w, in order, in groups of that size, each with a scale of its own.
Quantized quantize(const Tensor& w, int64_t group) {
  const Tensor groups = w.detach().reshape({-1, group});
  const Tensor scale = groups.abs().amax({1}, /*keepdim=*/true) / 127.0;
  return {(groups / scale).round().to(int8), scale};
}

double relative_error(const Tensor& found, const Tensor& exact) {
  return ((found - exact).norm() / exact.norm()).item();
}

void by_group(), products_of_integers(), a_model_in_eight_bits();

}  // namespace

void int8_weights() {
  text("## Weights of eight bits");
  text(R"(
    When training is over, no small update can get lost. Lecture 2 divided each row of a matrix by its largest magnitude
    and rounded to integers. How many elements should share such a scale, and what does it cost?)");
  by_group();
  products_of_integers();
  a_model_in_eight_bits();
}

namespace {

void by_group() {
  text("### What shares a scale");
  text(R"(
    On a grid of spacing $\Delta$, the largest magnitude over 127, rounding errors are spread about evenly between
    $-\Delta / 2$ and $\Delta / 2$: a variance of $\Delta^2 / 12$. One outlier makes $\Delta$ large for all that share
    it. Here is a matrix whose rows differ in size, with an outlier in one of a thousand elements:)"),
      link(quantize);
  Generator generator = Generator().manual_seed(0);
  const int64_t rows = 256, columns = 512;
  const Tensor sizes = (randn({rows, 1}, {}, &generator) / 2).exp();
  const Tensor outliers = 1 + 15 * (rand({rows, columns}, {}, &generator) < 0.001).to(float32);
  const Tensor w = randn({rows, columns}, {}, &generator) * sizes * outliers / std::sqrt(512.);
  std::vector<TableRow> table_rows;
  std::vector<double> errors;
  for (const auto& [called, group] :
       {std::pair{"the matrix", rows * columns}, {"a row", columns}, {"64 neighbours", int64_t{64}}}) {  // @stepover
    const Quantized small = quantize(w, group);
    const Tensor off = small.restored().reshape({rows, columns}) - w;
    assert((small.restored() - w.reshape({-1, group})).abs().le(0.5001 * small.scale).all().item());
    assert(small.nbytes() == rows * columns + 4 * rows * columns / group);
    const double variance = off.square().mean().item();
    const double predicted = (small.scale.square().mean() / 12).item();
    assert(std::abs(variance / predicted - 1) < 0.05);
    errors.push_back(relative_error(small.restored().reshape({rows, columns}), w));
    table_rows.push_back({called, small.nbytes(),
                          fmt::format("{:.3f}", 8. * static_cast<double>(small.nbytes()) / (256 * 512)),
                          fmt::format("{:.2e}", predicted), fmt::format("{:.2e}", variance),
                          fmt::format("{:.2f} %", 100 * errors.back())});
  }
  // @tol rel=1e-2 *
  table(
      {"One scale for", "Bytes", "Bits per element", "Variance of the error, predicted", "Measured", "Error, relative"},
      table_rows);
  assert(errors[0] > 2 * errors[1] && errors[1] > 2 * errors[2] &&
         std::lround(errors[0] / errors[2]) == 11);  // @tol rel=1e-3 *
  text(R"(
    In float32 it has 524,288 bytes. Scales for 64 neighbours cost half a bit per element, and the error is an eleventh
    of that with one scale for all.)");
  assert(w.nbytes() == 524288);
}

void products_of_integers() {
  text("### Products of integers");
  text(R"(
    If the input is rounded by rows as well, the product can be one of integers: with $x_{ik} \approx s_i p_{ik}$ and
    $w_{jk} \approx t_j q_{jk}$ it is $y_{ij} \approx s_i t_j \sum_k p_{ik} q_{jk}$. The sum is exact in 32 bits: 512
    terms of at most 127² are at most 8.3 million. In large language models a few dimensions of the activations are
    outliers; LLM.int8() multiplies these in 16 bits.)"),
      link(works::llm_int8);
  Generator generator = Generator().manual_seed(1);
  const Tensor x = randn({32, 512}, {}, &generator), w = randn({256, 512}, {}, &generator) / std::sqrt(512.);
  const Quantized of_x = quantize(x, 512), of_w = quantize(w, 512);
  const Tensor sums = of_x.q.to(int32).matmul(of_w.q.to(int32).transpose(0, 1));
  const Tensor y = sums.to(float32) * of_x.scale * of_w.scale.transpose(0, 1);
  const Tensor exact = linear(x, w);
  const double error = relative_error(y, exact);  // @inspect error @tol rel=1e-2 error
  const double of_input =
      relative_error(linear(of_x.restored(), w), exact);  // @inspect of_input @tol rel=1e-2 of_input
  const double of_weights =
      relative_error(linear(x, of_w.restored()), exact);  // @inspect of_weights @tol rel=1e-2 of_weights
  assert(std::abs(error / std::hypot(of_input, of_weights) - 1) < 0.05);  // @tol rel=1e-2 *
  assert(sums.abs().max().item<int64_t>() <= int64_t{127} * 127 * 512);
  text(R"(
    The squares of both errors add up, as those of independent noise do. By its data sheet, an H100 does twice as many
    such operations per second as in 16 bits. When a model generates one token after the other, bytes matter more: for
    each token, all weights are read once. For 1.28 billion parameters that takes at least, in milliseconds:)"),
      link(works::h100);
  const double N = 1.28e9;
  const auto milliseconds = [&](double bytes) { return 1e3 * N * bytes / kH100.memory_bandwidth; };  // @stepover
  const double of_16_bits = milliseconds(2);  // @inspect of_16_bits
  const double of_8_bits = milliseconds(1);   // @inspect of_8_bits
  assert(std::abs(of_16_bits - 0.764) < 0.001 && of_8_bits == of_16_bits / 2);
}

void a_model_in_eight_bits() {
  text("### A model in eight bits");
  text("The student of the last section, trained with AdamW, before and after both its matrices are rounded by rows:");
  Student student = trained({});                    // @stepover
  const double before = error_of_student(student);  // @stepover @inspect before @tol rel=1e-1 before
  int64_t bytes = 0, bytes_before = 0;
  const NoGradGuard no_grad;
  for (const Tensor& matrix : {Tensor(student.up.weight), Tensor(student.down.weight)}) {  // @stepover
    const Quantized small = quantize(matrix, matrix.size(1));
    bytes += small.nbytes();
    bytes_before += matrix.nbytes();
    matrix.copy_(small.restored().reshape(matrix.sizes()));
  }
  const double after = error_of_student(student);  // @stepover @inspect after @tol rel=1e-1 after
  assert(std::abs(after / before - 1) < 0.05);     // @tol rel=1e-1 *
  assert(bytes_before == 4 * (64 * 16 + 8 * 64) && bytes == (64 * 16 + 4 * 64) + (8 * 64 + 4 * 8));
  exercise("Write `quantize` yourself, by rows. What becomes of a row of zeros?", {.answer = R"(
    `scale = (w.abs().amax({1}, true) / 127).clamp_min(1e-12)`, and `q = (w / scale).round().to(int8)`. Without the
    bound, a row of zeros would be 0 / 0.)",
                                                                                   .starter = "int8"});
}

}  // namespace
