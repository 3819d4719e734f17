// Lecture 4, activation checkpointing: how many segments?

#include "parts.h"

namespace {

constexpr int64_t kLayers = 16, kRows = 2048, kWidth = 32;

// A chain of layers gelu(linear(x)).
struct Chain : nn::Module {
  nn::ModuleList<nn::Linear> layers;

  Chain() : layers(kLayers, kWidth, kWidth) { LECTERN_REGISTER(layers); }

  // In segments of so many layers that are computed again for the backward pass; 0: none is.
  Tensor operator()(const Tensor& x, int64_t segment) const {
    Tensor h = x;
    const auto run = [this](const Tensor& in, std::int64_t from, std::int64_t to) {
      Tensor out = in;
      for (std::int64_t i = from; i < to; ++i) out = gelu(layers[i](out));
      return out;
    };
    if (segment == 0) return run(h, 0, kLayers);
    for (int64_t from = 0; from < kLayers; from += segment) {
      h = autograd::checkpoint([=](const Tensor& in) { return run(in, from, from + segment); }, h);
    }
    return h;
  }
};

struct Pass {
  int64_t kept, peak, forward_flops, flops;
  Tensor gradient;
};

Pass pass(const Chain& chain, const Tensor& x, int64_t segment) {
  const CountScope scope;
  const int64_t before = memory_allocated();
  reset_peak_memory_stats();
  Tensor result = chain(x, segment);
  const int64_t kept = memory_allocated() - before - result.nbytes();
  const int64_t forward_flops = scope.counted().flops;
  const Tensor incoming = ones_like(result);
  result.backward(incoming);
  const int64_t peak = max_memory_allocated() - before;
  return {kept, peak, forward_flops, scope.counted().flops, chain.layers[0].weight.grad().clone()};
}

void segments_of_a_chain();

}  // namespace

void recomputation() {
  text("## Activation checkpointing");
  text(R"(
    What is not kept has to be computed again. Divide $L$ layers into segments of $s$: keep what goes into each segment,
    $L / s$ times $n d$ elements, and in the backward pass compute one segment at a time again, with all that its layers
    keep, which is $2 n d$ for a layer `gelu(linear(x))`. That makes
    $$n d \left( \frac{L}{s} + 2 s \right)$$
    elements, least at $s = \sqrt{L / 2}$.)"),
      link(works::sublinear_memory), link<Chain>();
  text(R"(
    With all layers kept it is $2 n d L$, linear in the depth; the best segments make it $2 \sqrt 2\, n d \sqrt L$.
    The price is one more forward pass, whatever the segments. Sixteen layers:)");
  segments_of_a_chain();
  exercise(R"(
    A layer of a Transformer keeps $34\, n d$ bytes, and what goes into it is $2\, n d$. There are 96 of them. How
    long should segments be, and what do they save?)",
           R"(
    In units of $n d$ bytes, $2 \cdot 96 / s + 34 s$ is least at $s = \sqrt{192 / 34} = 2.4$. With 2 it is 164, with 3
    it is 166, and with each layer by itself, as is usual, 226. All kept would be 3,264: twenty times as much.)");
  const auto bytes = [](double s) { return 2 * 96 / s + 34 * s; };
  assert(bytes(2) == 164 && bytes(3) == 166 && bytes(1) == 226 && 34 * 96 == 3264);
}

namespace {

void segments_of_a_chain() {
  manual_seed(0);
  const Tensor x = randn({kRows, kWidth}).requires_grad_();
  const int64_t nd = 4 * kRows * kWidth;  // bytes
  std::vector<TableRow> rows;
  std::vector<double> lengths, predicted_peaks, measured_peaks;
  Pass none{};
  const auto in_units = [&](int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(nd); };
  manual_seed(1);
  Chain chain;
  for (const int64_t segment : {0, 1, 2, 4, 8, 16}) {  // @stepover
    chain.zero_grad();
    x.mutable_grad() = Tensor();
    const Pass one = pass(chain, x, segment);
    if (segment == 0) none = one;
    const int64_t kept = segment == 0 ? 2 * kLayers - 1 : kLayers / segment - 1;
    const int64_t peak = segment == 0 ? 2 * kLayers + 2 : kLayers / segment + 2 * segment + 1;
    assert(one.kept == kept * nd);
    assert(std::abs(in_units(one.peak) - static_cast<double>(peak)) < 0.15);  // gradients of weights
    assert(one.flops == none.flops + (segment == 0 ? 0 : none.forward_flops));
    assert(one.gradient.equal(none.gradient));
    rows.push_back({segment == 0 ? "none" : fmt::format("{}", segment), kept, in_units(one.kept), peak,
                    fmt::format("{:.2f}", in_units(one.peak)),
                    fmt::format("{:.3f}", static_cast<double>(one.flops) / static_cast<double>(none.flops))});
    if (segment == 0) continue;
    lengths.push_back(static_cast<double>(segment));
    predicted_peaks.push_back(static_cast<double>(peak));
    measured_peaks.push_back(in_units(one.peak));
  }
  // @tol rel=1e-2 *
  table({"Layers in a segment", "Kept, predicted", "Measured", "Peak, predicted", "Measured", "FLOPs, relative"}, rows,
        {.caption = "Memory in units of n d elements, with $x$ itself not counted."});
  text(R"(
    The peak is one unit above the sum. The result, the incoming gradient and the one that is being computed add three;
    $x$, which is there anyway, and the segment's input, which is in both terms of the sum, take away two. What is
    measured beyond that is gradients of weights. The gradients agree bit by bit, and the additional operations are
    exactly those of one forward pass.)");
  // @tol rel=1e-2 *
  line_plot(
      lengths, {{"predicted", predicted_peaks}, {"measured", measured_peaks}},
      {.x = "layers in a segment",
       .y = "peak, in units of n d",
       .legend = "memory",
       .log_x = true,
       .x_max = 16,
       .y_min = 0,
       .y_max = 35,
       .x_ticks = {1, 2, 4, 8, 16},
       .points = true,
       .alt = "The peak of memory over the length of a segment, predicted and measured, which agree: a valley from 19 "
              "at one layer to 13 at two and four, and up to 34 at sixteen, as much as without recomputation.",
       .caption = "Sixteen layers in segments."});
}

}  // namespace
