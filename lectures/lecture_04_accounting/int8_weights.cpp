// Lecture 4, weights of eight bits.

#include "student.h"

namespace {

struct Quantized {
  Tensor q;      // int8
  Tensor scale;  // float32, one for each group

  int64_t nbytes() const { return q.nbytes() + scale.nbytes(); }
  Tensor restored() const { return (q.to(float32) * scale); }
};

// Each group of so many neighbours in a row by its largest number. For w […, columns], a divisor of columns.
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
    When training is over there is no noise to drown in, and no small update to lose. Lecture 2 divided the rows of a
    matrix by their largest number and rounded to integers. What may share such a number, and what does it cost?)");
  by_group();
  products_of_integers();
  a_model_in_eight_bits();
}

namespace {

void by_group() {
  text("### What shares a scale");
  text(R"(
    With $\Delta$ the distance of two neighbours, the largest number over 127, rounding errors are spread evenly
    between $-\Delta / 2$ and $\Delta / 2$: a variance of $\Delta^2 / 12$. One outlier makes $\Delta$ large for all
    that share it. A matrix whose rows differ in size, with an outlier in one of a thousand numbers:)"),
      link(quantize), link(works::llm_int8);
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
  table({"One scale for", "Bytes", "Bits for each number", "Variance of the error, predicted", "Measured",
         "Error, relative"},
        table_rows);
  assert(errors[0] > 2 * errors[1] && errors[1] > 2 * errors[2] &&
         std::lround(errors[0] / errors[2]) == 11);  // @tol rel=1e-3 *
  text(R"(
    In float32 it has 524,288 bytes. Scales for 64 neighbours cost half a bit for each number, and make the error eleven
    times as small as one scale for all.)");
  assert(w.nbytes() == 524288);
}

void products_of_integers() {
  text("### Products of integers");
  text(R"(
    If the input is rounded by rows as well, the product can be of integers: $y_{ij} = s_i t_j \sum_k x_{ik} w_{jk}$,
    with a scale $s_i$ for each row of $x$, and $t_j$ for each of $w$. The sum is exact in 32 bits: 127² times 512
    terms is 8.3 million.)");
  Generator generator = Generator().manual_seed(1);
  const Tensor x = randn({32, 512}, {}, &generator), w = randn({256, 512}, {}, &generator) / std::sqrt(512.);
  const Quantized of_x = quantize(x, 512), of_w = quantize(w, 512);
  const Tensor sums = of_x.q.to(int32).matmul(of_w.q.to(int32).transpose(0, 1));
  const Tensor y = sums.to(float32) * of_x.scale * of_w.scale.transpose(0, 1);
  const double error = relative_error(y, linear(x, w));  // @inspect error @tol rel=1e-2 error
  assert(error < 0.02);                                  // @tol rel=1e-2 *
  assert(sums.abs().max().item<int64_t>() <= int64_t{127} * 127 * 512);
  text(R"(
    The squares of both errors add up, as of independent noise. An H100 is listed with twice as many such operations
    a second as in 16 bits. When a model writes one token after the other, bytes matter more: each token reads all
    weights once. For 1.28 billion parameters that takes at least, in milliseconds:)");
  const double N = 1.28e9;
  const auto milliseconds = [&](double bytes) { return 1e3 * N * bytes / kH100.memory_bandwidth; };  // @stepover
  const double of_16_bits = milliseconds(2);  // @inspect of_16_bits
  const double of_8_bits = milliseconds(1);   // @inspect of_8_bits
  assert(std::abs(of_16_bits - 0.764) < 0.001 && of_8_bits == of_16_bits / 2);
}

void a_model_in_eight_bits() {
  text("### A model in eight bits");
  text("The student of the last section, trained with AdamW, with all its matrices rounded by rows:");
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
  exercise("Write `quantize` yourself, by rows. And what becomes of a row of zeros?", {.answer = R"(
    `scale = (w.abs().amax({1}, true) / 127).clamp_min(1e-12)`, and `q = (w / scale).round().to(int8)`. Without the
    bound, a row of zeros would be 0 / 0.)",
                                                                                       .starter = "int8"});
}

}  // namespace
