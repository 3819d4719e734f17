// Lecture 4, mixed precision: the bytes of a step with a float32 copy, and why there is one.

#include "parts.h"

namespace {

// bfloat16 parameters that are trained by their float32 copies.
class MasterCopies {
 public:
  explicit MasterCopies(const nn::Module& model) : parameters_(model.parameters()) {
    for (const Tensor& parameter : parameters_) copies_.emplace_back(parameter.detach().to(float32));
    optimizer_ = std::make_unique<optim::AdamW>(std::vector<Tensor>(copies_.begin(), copies_.end()));
  }

  void step() {
    for (std::size_t i = 0; i < copies_.size(); ++i) copies_[i].mutable_grad() = parameters_[i].grad().to(float32);
    optimizer_->step();
    optimizer_->zero_grad();
    const NoGradGuard no_grad;
    for (std::size_t i = 0; i < copies_.size(); ++i) parameters_[i].copy_(copies_[i]);
  }

 private:
  std::vector<Tensor> parameters_;
  std::vector<nn::Parameter> copies_;
  std::unique_ptr<optim::AdamW> optimizer_;
};

struct Bytes {
  int64_t activations, peak, state;  // state: parameters, gradients, copies, the optimizer's state
};

Bytes bytes_in(Dtype dtype) {
  const int64_t before = memory_allocated();
  const int64_t B = 4, T = 32, d = 64;
  const nn::TransformerBlock block(d, 2, {.dtype = dtype});
  const Tensor x = randn({B, T, d}).to(dtype);
  const int64_t with_parameters = memory_allocated();
  Tensor loss = block(x, {.is_causal = true}).sum();
  const int64_t activations = memory_allocated() - with_parameters - loss.nbytes();
  loss.backward();
  loss = Tensor();
  const auto step = [&](auto& optimizer) {
    reset_peak_memory_stats();
    optimizer.step();
    const int64_t others = before + x.nbytes();
    return Bytes{activations, max_memory_allocated() - others, memory_allocated() - others};
  };
  if (dtype == float32) {
    optim::AdamW optimizer(block.parameters());
    return step(optimizer);
  }
  MasterCopies copies(block);
  return step(copies);
}

void sixteen_bytes(), lost_updates();

}  // namespace

void mixed_precision() {
  text("## Mixed precision");
  text(R"(
    Sixteen bits where most of the work and most of the traffic are, 32 where small differences have to add up. How
    `autocast` divides the operations was in lecture 2; it leaves parameters and gradients in float32. Here they are in
    bfloat16, too, and this is what that does to the account.)");
  sixteen_bytes();
  lost_updates();
}

namespace {

void sixteen_bytes() {
  text("### Sixteen bytes, either way");
  text(R"(
    Parameters and gradients in bfloat16 take $2 + 2$ bytes. The copy of the parameters that the optimizer changes
    takes 4 and its averages 8, which makes 16, as in float32. What is halved is the activations, and the traffic of
    parameters, gradients and activations.)"),
      link(works::mixed_precision), link<MasterCopies>();
  const Bytes in_float32 = bytes_in(float32);    // @stepover @inspect in_float32
  const Bytes in_bfloat16 = bytes_in(bfloat16);  // @stepover @inspect in_bfloat16
  const int64_t d = 64;
  const int64_t N = 12 * d * d + 13 * d;
  const int64_t tensors = 12;                  // a step count for each
  const int64_t state = 16 * N + 4 * tensors;  // @inspect state
  assert(in_float32.state == state);
  assert(in_bfloat16.state == state);
  text("The activations are half to the byte, but for the norms' means and deviations, which stay float32:");
  const int64_t rows = 4 * 32;
  const int64_t of_norms = 2 * 2 * rows * 4;
  assert(in_bfloat16.activations - of_norms == (in_float32.activations - of_norms) / 2);
  callout(Callout::warning, R"(
    Gradients that are converted to float32 for the optimizer take 4 bytes more per parameter while they exist.
    `MasterCopies` converts all at once, and peaks at 20 bytes. Converted one tensor at a time they take little, and
    nothing at all if the optimizer's kernel reads bfloat16 itself.)",
          "Where 16 becomes 20");
  assert(in_bfloat16.peak == state + 4 * N);
}

void lost_updates() {
  text("### Why there is a copy");
  text(R"(
    Between 1/2 and 1, neighbours in bfloat16 are $2^{-8} = 0.0039$ apart. A step of 0.001 down from 1 is rounded away,
    every time.)");
  Tensor rounded = ones({1}, {.dtype = bfloat16});
  Tensor copy = ones({1});
  for (int t = 0; t < 100; ++t) {  // @stepover
    rounded -= 0.001;
    copy -= 0.001;
  }
  const float without_copy = rounded.to(float32).item();         // @inspect without_copy
  const float with_copy = copy.to(bfloat16).to(float32).item();  // @inspect with_copy
  assert(without_copy == 1);
  assert(std::abs(with_copy - 0.9F) < 0.002F);
  text(R"(
    Stochastic rounding needs no copy: round up with a probability that is the distance from the lower neighbour,
    divided by the spacing, and the mean is right. A step of 0.001 then moves a number in about one case of four:)");
  Generator generator = Generator().manual_seed(0);
  const int64_t count = 4096;
  Tensor many = ones({count});
  for (int t = 0; t < 100; ++t) {  // @stepover
    const Tensor in_spacings = (many - 0.001) * 0x1p8;
    many = (in_spacings + rand({count}, {}, &generator)).floor() * 0x1p-8;
  }
  const Tensor mean = many.mean();  // @inspect mean
  assert(std::abs(mean.item<double>() - 0.9) < 0.001);
  assert(many.to(bfloat16).to(float32).equal(many));
}

}  // namespace
