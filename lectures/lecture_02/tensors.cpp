// Lecture 2, what a tensor is and what it takes.

#include "../shared/number_formats_calculator.h"
#include "figures.h"
#include "parts.h"

// What a tensor's elements take: their number times the bytes of one.  @stepover
int64_t get_memory_usage(const Tensor& x) {
  return x.numel() * x.element_size();
}

void tensors_basics() {
  text("## Tensors");
  text(R"(
    A tensor holds everything: parameters, gradients, the optimizer's state, data, activations. It is an array
    of numbers of one type, with any number of dimensions. The names here are PyTorch's.)"),
      link(works::torch_tensor);
  text("There are many ways to make one.");
  Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  assert(x.dim() == 2);
  assert(x.numel() == 2 * 3);
  x = zeros({4, 8});  // 4×8 zeros @inspect x
  x = ones({4, 8});   // 4×8 ones @inspect x
  Generator generator = Generator().manual_seed(0);
  x = randn({4, 8}, {}, &generator);  // 4×8 normal samples @inspect x
  text("Random numbers come from a generator. One with its own seed gives the same numbers on every run.");
  text(R"(
    Memory can also be allocated without being written, for values that are to be set by something better than
    a constant. What stands in it before that is chance.)");
  x = empty({4, 8});
  assert(x.numel() == 32);
  trunc_normal_(x, 0, 1, -2, 2, &generator);  // @inspect x
  assert(x.max().item() <= 2 && x.min().item() >= -2);
  callout(Callout::warning, R"(
    The bounds of a truncated normal are values, not multiples of its standard deviation. With a standard deviation of
    1/128, bounds of −3 and 3 lie 384 deviations away and truncate nothing: one wants −3/128 and 3/128.)",
          "Bounds of a truncated normal");
}

// One row of the table of number formats, computed from the format itself.  @stepover
TableRow format_row(Dtype dtype) {
  const FloatInfo info = finfo(dtype);
  return {fmt::format("`{}`", name(dtype)),
          info.bits,
          1,
          info.exponent_bits,
          info.mantissa_bits,
          fmt::format("{:.4g}", info.smallest_subnormal),
          fmt::format("{:.4g}", info.max),
          fmt::format("{:.1f}", (info.mantissa_bits + 1) * std::log10(2))};
}

void tensors_memory() {
  text("## What a tensor takes");
  text(R"(
    Almost everything that training stores is a floating-point number: a sign, an exponent that says how
    large, and a mantissa (or *fraction*) that says which of the numbers of that size. Each bit more in the
    exponent squares the range; each bit more in the mantissa halves the gaps.)");
  image(bit_layouts(),
        {.alt = "Six rows of boxes, one per format, aligned at the sign bit. float64 has 1 sign, 11 exponent and 52 "
                "mantissa bits; float32 1, 8, 23; bfloat16 1, 8, 7; float16 1, 5, 10; float8 e4m3fn 1, 4, 3; float8 "
                "e5m2 1, 5, 2.",
         .caption =
             "Bits of the floating-point formats: sign, exponent, mantissa. Drawn from the formats' own numbers."});
  text("### float32");
  text(R"(
    The default: 4 bytes. In most of computing it counts as *single* precision; in deep learning people call
    it full precision, as almost everything else is shorter.)");
  Tensor x = zeros({4, 8});  // @inspect x
  assert(x.dtype() == float32);
  assert(x.numel() == 4 * 8);
  assert(x.element_size() == 4);
  assert(get_memory_usage(x) == 4 * 8 * 4);
  text("Its memory: 32 values of 4 bytes. One feed-forward matrix of GPT-3 holds 603,979,776 values:");
  const Tensor gpt3_matrix = empty({12288 * 4, 12288});  // @inspect gpt3_matrix.shape()
  assert(gpt3_matrix.numel() == 603'979'776);
  const int64_t bytes = get_memory_usage(gpt3_matrix);  // @inspect bytes
  assert(bytes == 2'304LL * 1024 * 1024);
  text(R"(
    That is 2.416 GB, or 2.25 GiB: a gigabyte is $10^9$ bytes, a gibibyte $2^{30}$. And it is one matrix of
    one layer, without gradient and optimizer state.)");
  assert(std::lround(static_cast<double>(bytes) / 1e6) == 2416);
  assert(bytes * 4 == 9LL * 1024 * 1024 * 1024);
  text("### float16");
  text("Half of it: 2 bytes.");
  x = zeros({4, 8}, {.dtype = float16});  // @inspect x
  assert(x.element_size() == 2);
  text("The five bits of its exponent are the trouble, at the small end above all.");
  x = tensor({1e-8}, {.dtype = float16});  // @inspect x
  assert(x.item() == 0);                   // underflow
  text(R"(
    Gradients of that size are nothing unusual; when they become zero, training stalls. Numbers go on below
    the smallest *normal* one, $6.1 \cdot 10^{-5}$, with fewer and fewer digits; the last of these subnormals
    is about $6 \cdot 10^{-8}$, and what is at most half of it rounds to zero.)");
  x = tensor({6e-8, 3e-8, 2.9e-8}, {.dtype = float16});  // @inspect x
  assert(x[0].item() > 0 && x[1].item() > 0);
  assert(x[2].item() == 0);
  text("### bfloat16");
  text(R"(
    Google Brain's answer of 2018: the same 2 bytes, but with the exponent of float32. The price is paid in
    the mantissa, which learning can do without more easily than range.)"),
      link(works::bfloat16_on_tpus);
  x = tensor({1e-8}, {.dtype = bfloat16});  // @inspect x
  assert(x.item() != 0);                    // no underflow
  text("It is not exactly $10^{-8}$: with 8 significant bits, the nearest number is 0.1 % off.");
  text("### What the formats can do");
  const FloatInfo float32_info = finfo(float32);    // @inspect float32_info
  const FloatInfo float16_info = finfo(float16);    // @inspect float16_info
  const FloatInfo bfloat16_info = finfo(bfloat16);  // @inspect bfloat16_info
  assert(float16_info.max == 65504);
  assert(bfloat16_info.max > 3e38 && float32_info.max > 3e38);
  assert(bfloat16_info.smallest_normal == float32_info.smallest_normal);
  text("### float8");
  text(R"(
    Since Hopper there is hardware for 1 byte: `float8_e4m3fn` with a little more precision for the forward pass,
    `float8_e5m2` with a little more range for gradients. Neither is used alone: each tensor has a scale beside it.)"),
      link(works::fp8_formats);
  x = tensor({0.3, 1., 17.3, 440.}, {.dtype = float8_e4m3fn});  // @inspect x
  assert(x[3].item() == 448);
  x = tensor({0.3, 1., 17.3, 440.}, {.dtype = float8_e5m2});  // @inspect x
  assert(x[2].item() == 16);
  table({"Format", "Bits", "Sign", "Exponent", "Mantissa", "Smallest above 0", "Largest", "Decimal digits"},
        {format_row(float64), format_row(float32), format_row(bfloat16), format_row(float16), format_row(float8_e4m3fn),
         format_row(float8_e5m2)});
  // @stepover
  calculator("A number in six formats", formats_of_number_inputs(), formats_of_number, {formats_of_number_presets()});
  text(R"(
    What follows from it for training:
    - float32 works, and takes the most memory.
    - float16 and float8, and bfloat16 alone too, are risky: sums of many small terms lose them, and a small
      update to a large parameter disappears.
    - So one mixes: parameters and optimizer state in float32, the large products in fewer bits.)");
  Tensor parameter = tensor({1.}, {.dtype = bfloat16});
  parameter += tensor({1e-3}, {.dtype = bfloat16});  // @inspect parameter
  assert(parameter.item() == 1);                     // the update is lost
}

void tensors() {
  tensors_basics();
  tensors_memory();
}
