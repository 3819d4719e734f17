// Lecture 6, elementwise operations: in pieces, fused, launched, captured, compiled.

#include "parts.h"

namespace {

// gelu as one writes it.  @stepover
Tensor gelu_in_pieces(const Tensor& x) {
  return 0.5 * x * (1 + erf(x / std::sqrt(2.0)));
}

void in_pieces() {
  text(R"($$\mathrm{gelu}(x) = \frac{x}{2} \left(1 + \mathrm{erf}\frac{x}{\sqrt 2}\right)$$)");
  text(R"(
    Written with tensors, this is five operations: a division, `erf`, a sum with 1, half of x, and a product of two
    tensors. Each is a kernel of its own. It reads all of its input from memory and writes all of its result there, for
    the next one to fetch again. Four of them move 8 bytes for each float32 element, the product 12:)"),
      link(works::gelu_paper);
  const int64_t n = 1 << 20;
  Generator generator = Generator().manual_seed(0);
  const Tensor x = randn({n}, {}, &generator);
  const CountScope pieces_scope;
  const Tensor in_pieces = gelu_in_pieces(x);
  const Counters pieces = pieces_scope.counted();  // @inspect pieces
  assert(pieces.bytes == (4 * 8 + 12) * n);
  assert(pieces.flops == 5 * n);
  text("In one kernel, what lies between stays in registers. x is read once, the result is written once:");
  const CountScope fused_scope;
  const Tensor fused = gelu(x);
  const Counters fused_cost = fused_scope.counted();  // @inspect fused_cost.bytes
  assert(fused_cost.bytes == 8 * n);
  assert(fused.allclose(in_pieces, 1e-5, 1e-6));
  text(R"(
    44 bytes against 8, for the same arithmetic. As both wait for memory, the fused one is 5.5 times as fast where memory
    is the limit, and nobody had to make anything compute faster. Recorded on an H200, `gelu` of 64 Mi float32 elements
    takes 141 µs. In pieces, at 4.3 TB/s, it could not take less than)");
  const double elements = 64. * 1024 * 1024;
  const double in_pieces_at_least = 44 * elements / 4.3e12;  // @inspect in_pieces_at_least
  assert(in_pieces_at_least > 4.8 * 141e-6);
  text("687 µs, nearly five times as long.");
  exercise(
      "`dropout(gelu(x + bias)) + residual`, in bfloat16: how many bytes per element in pieces, and how many fused?",
      R"(
    In pieces: the sum with a bias, which is small, 2 + 2; `gelu` 2 + 2; dropout 2 + 2, and a mask; the sum with the
    residual 2 + 2 + 2. That is 18, not counting the mask. Fused: read x and the residual, write the result: 6. The random
    numbers of dropout need not be read, if they are computed from the element's index.)");
}

void by_a_compiler() {
  text("### By a compiler");
  text(R"(
    Must one write a kernel for each such chain? A compiler can do it: it lets the function run on tensors that only
    record what would be computed, and makes one loop of the record. `compile` does that here, as `torch.compile` does in
    PyTorch.)");
  const auto compiled = compile([](const Tensor& x) { return 0.5 * x * (1 + erf(x / std::sqrt(2.0))); });
  const int64_t n = 1 << 20;
  Generator generator = Generator().manual_seed(0);
  const Tensor x = randn({n}, {}, &generator);
  const CountScope scope;
  const Tensor y = compiled(x);                 // @stepover
  const int64_t bytes = scope.counted().bytes;  // @inspect bytes
  assert(bytes == 8 * n);
  assert(y.allclose(gelu(x), 1e-5, 1e-6));
  text("It tells what it did:");
  const std::string report = compiled.explain(x);  // @stepover
  verbatim(report);
  text("On this machine, for a million elements, and for 16 million, which few caches hold:");
  const Tensor large = randn({16 * n}, {}, &generator);                                          // @stepover
  const auto time = [](const auto& work) { return in_milliseconds(measure_seconds(work, 2)); };  // @stepover
  table({"gelu", "1 Mi elements", "16 Mi elements"},
        {{"in pieces", time([&] { gelu_in_pieces(x); }), time([&] { gelu_in_pieces(large); })},
         {"compiled", time([&] { compiled(x); }), time([&] { compiled(large); })},
         {"`gelu`", time([&] { gelu(x); }), time([&] { gelu(large); })}});  // @stepover @volatile
  text(R"(
    A compiler fuses what it can prove harmless: elementwise operations, and reductions of what they give. It does not
    find the better *algorithm*. For softmax and attention, further down, somebody had to.)");
}

void launches() {
  text("### Launches, and graphs of them");
  text(R"(
    There is a third limit. A kernel has to be launched, and on an H200 the smallest one, a sum of two tensors of eight
    elements, takes 5.58 µs from one to the next. In this time its memory, at 4.3 TB/s, moves)");
  const double launch = 5.58e-6;
  const double bytes_of_a_launch = launch * 4.3e12;  // @inspect bytes_of_a_launch
  assert(std::abs(bytes_of_a_launch - 24e6) < 0.1e6);
  text(R"(
    24 MB. An elementwise operation on less than that, 12 million bfloat16 numbers in and out together, waits neither for
    memory nor for arithmetic, but for the host. So do many kernels of a small model. Fusion helps here as well: five
    launches become one. What remains can be recorded once and be replayed as a whole, a *CUDA graph*: the host says once
    what it used to say for each kernel.)");
  const double step = 3.09e-3, captured_step = 2.63e-3;              // a GPT of width 256
  const double large_step = 20.4e-3, captured_large_step = 19.3e-3;  // GPT-2, 124 million parameters
  const double gain = step / captured_step;                          // @inspect gain
  const double large_gain = large_step / captured_large_step;        // @inspect large_gain
  assert(gain > 1.15 && large_gain < 1.07);
  text(R"(
    Recorded on an H200, a training step: of a GPT of width 256 on 2,048 tokens in 3.09 ms, captured 2.63; of GPT-2 with
    124 million parameters on 8,192 tokens in 20.4 ms, captured 19.3. The smaller the kernels, the more a graph gains. It
    pays with rigidity: shapes and addresses are those that were captured.)");
  exercise(
      R"(
    A model has 300 kernels in a step, each of which would run for 2 µs. The host needs 5 µs to launch one. How long does
    a step take, and how long at least, captured?)",
      "Without a graph the host is the limit: 300 · 5 µs = 1.5 ms. Captured, the kernels are: 300 · 2 µs = 0.6 ms.");
}

}  // namespace

void fusion_of_operations() {
  text("## Elementwise operations, fused");
  in_pieces();
  by_a_compiler();
  launches();
}
