#include <lectern/exercise.h>

using namespace lectern;

/// A matrix in eight bits: integers, and for each row what they are multiplied with.
struct Quantized {
  Tensor q;      // int8, of the matrix's shape
  Tensor scale;  // float32, [rows, 1]
};

/// Each row divided by its scale, and rounded. The largest number of a row becomes 127 or -127.
Quantized quantize(const Tensor& w) {
  not_written("the scales of the rows, and the rounded integers");
}

Tensor restored(const Quantized& small) {
  return small.q.to(float32) * small.scale;
}

void a_row_by_hand() {
  text("## A row by hand");
  const Quantized small = quantize(tensor({{0., 1, -2.54}, {127, 63, 0.4}}));  // @inspect small.q small.scale
  assert(small.q.equal(tensor({{0, 50, -127}, {127, 63, 0}}, {.dtype = int8})));
  assert(small.scale.allclose(tensor({{0.02}, {1.}})));
}

void no_number_is_off_by_more_than_half_a_step() {
  text("## Half a step");
  manual_seed(0);
  const Tensor w = randn({32, 100});
  const Quantized small = quantize(w);
  assert((restored(small) - w).abs().le(0.5001 * small.scale).all().item());
  assert(small.q.nbytes() + small.scale.nbytes() == 32 * 100 + 4 * 32);
}

void a_row_of_zeros_stays_one() {
  text("## A row of zeros");
  text("Nothing may be divided by 0.");
  const Quantized small = quantize(zeros({2, 4}));
  assert(restored(small).equal(zeros({2, 4})));
}

int main() {
  lecture({.title = "Exercise: weights of eight bits", .date = "2026-11-28"});
  text(R"(
    Round a matrix to integers of eight bits, a scale for each row: $w_{ij} \approx s_i q_{ij}$ with $s_i = \max_j
    |w_{ij}| / 127$. Write it in `quantize`; `lectern build` tells which of the claims below hold.)");
  a_row_by_hand();
  no_number_is_off_by_more_than_half_a_step();
  a_row_of_zeros_stays_one();
}
