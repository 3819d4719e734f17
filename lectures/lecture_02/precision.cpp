// Lecture 2, fewer bits where they suffice.

#include "../shared/training_memory_calculator.h"
#include "cruncher.h"
#include "parts.h"

void autocasting() {
  text("### Autocast");
  text(R"(
    Nobody wants to write down for each operation which type it takes. Within the scope of an `AutocastGuard`,
    operations choose: products turn what they are given into bfloat16, sums and losses turn it into float32.)");
  Generator generator = Generator().manual_seed(0);
  const Device device = cuda::is_available() ? Device("cuda") : cpu;
  Cruncher model(64, 2, &generator);  // @stepover
  model.to(device);
  const Tensor x = randn({8, 64}, {}, &generator).to(device);
  const Tensor y = randn({8}, {}, &generator).to(device);
  Tensor pred_y, loss;
  {
    const AutocastGuard autocast(device, bfloat16);
    pred_y = model(x);  // @stepover
    loss = mse_loss(pred_y, y);
  }
  assert(pred_y.dtype() == bfloat16);  // @inspect pred_y.dtype() loss.dtype()
  assert(loss.dtype() == float32);
  text("Parameters and gradients stay float32. `backward` stands outside, and computes in forward's types.");
  loss.backward();
  for (const Tensor& parameter : model.parameters()) {
    assert(parameter.dtype() == float32);
    assert(parameter.grad().dtype() == float32);
  }
  const Tensor exact = model(x);  // @stepover
  const Tensor error = (pred_y.to(float32) - exact).abs().max();
  const float relative_error = (error / exact.abs().max()).item();  // @inspect relative_error @volatile
  assert(relative_error < 0.03F);                                   // 8 bits, a few roundings @volatile
}

void gradient_scaling() {
  text("### Gradients in float16");
  text(R"(
    bfloat16 has the range of float32. float16 has not, and small gradients become zero in it. A loss that is
    multiplied by a large number has larger gradients, and they are divided again in float32, before the step.
    How large a number? As large as can be without an infinity: a `GradScaler` tries.)");
  const Tensor tiny = tensor({1e-9, 1e-6, 1e-3});
  const Tensor lost = tiny.to(float16);                                // @inspect lost
  const Tensor kept = (tiny * 65536).to(float16).to(float32) / 65536;  // @inspect kept
  assert(lost[0].item() == 0);
  assert(kept.allclose(tiny, 1e-2, 0));
  const nn::Parameter p(ones({1}));
  optim::SGD optimizer({p}, {.lr = 0.1});
  amp::GradScaler scaler;
  scaler.scale((p * 1e36).sum()).backward();
  text("Times 65,536 this gradient is infinite. The step is left out, and the scale becomes half of it:");
  scaler.step(optimizer);
  scaler.update();
  const double scale = scaler.get_scale();  // @inspect scale
  assert(p.item() == 1);
  assert(scale == 32768);
}

void what_it_saves() {
  text("### What it saves, and what it does not");
  table({"Bytes for each parameter, with AdamW", "Parameter", "Gradient", "Copy", "State", "Together"},
        {{"float32", 4, 4, "–", 8, 4 + 4 + 8},
         {"bfloat16, with a float32 copy", 2, 2, 4, 8, 2 + 2 + 4 + 8},
         {"bfloat16 alone", 2, 2, "–", 4, 2 + 2 + 4}});
  text(R"(
    With a float32 copy of the parameters, which small updates need, nothing is saved: 16 bytes before and
    after. Activations, and what is moved, become half. And products become faster:)");
  const auto times = [](const char* name, bool tf32 = false) {  // @stepover
    const Hardware hardware = find_hardware(name).value();
    return peak_flops(hardware, bfloat16).value() / peak_flops(hardware, float32, tf32).value();
  };
  const char *a100 = "NVIDIA A100-SXM4-80GB", *h100 = "NVIDIA H100 80GB HBM3";
  table({"bfloat16's peak, as a multiple of", "float32's", "TF32's"},
        {{a100, fmt::format("{:.1f}", times(a100)), fmt::format("{:.1f}", times(a100, true))},
         {h100, fmt::format("{:.1f}", times(h100)), fmt::format("{:.1f}", times(h100, true))}});
  assert(times(a100) == 16);
  text("All of it together, for a Transformer in the form of GPT-2, beside what one GPU has:");
  // @stepover
  calculator("Memory of a training step", training_memory_inputs(), training_memory);
}

void int8_weights() {
  text("### Fewer bits still, when training is over");
  text(R"(
    A trained model is only read, and bears more. A row of weights is divided by its largest number and
    rounded to 8-bit integers; the largest number is kept beside them.)");
  Generator generator = Generator().manual_seed(0);
  const Tensor w = randn({256, 1024}, {}, &generator) / 32.0;
  const Tensor scale = w.abs().amax({1}, /*keepdim=*/true) / 127.0;
  const Tensor q = (w / scale).round().to(int8);
  const Tensor restored = q.to(float32) * scale;
  const int64_t bytes_before = w.nbytes();                  // @inspect bytes_before
  const int64_t bytes_after = q.nbytes() + scale.nbytes();  // @inspect bytes_after
  assert(bytes_before == 4 * 256 * 1024);
  assert(bytes_after == 256 * 1024 + 4 * 256);
  text("No number is off by more than half a step; errors of both signs mostly cancel in a product:");
  assert(((restored - w).abs() <= 0.5001 * scale).all().item());
  const Tensor x = randn({1024}, {}, &generator);
  const Tensor y = w.matmul(x);
  const Tensor off = restored.matmul(x) - y;
  const float error = (off.norm() / y.norm()).item();  // @inspect error @tol rel=1e-3 error
  assert(error < 0.01F);                               // @tol rel=1e-3 *
}

void mixed_precision_training() {
  text("## Mixed precision");
  text(R"(
    More bits: exact and stable, but slow, and large. Fewer bits: the other way round. One
    need not choose once for all:
    - the products of the forward and the backward pass, which are most of the work, in bfloat16, or in float8
      where there is hardware for it;
    - parameters, gradients' sums and the optimizer's state in float32.)"),
      link(works::mixed_precision), link(works::pytorch_amp), link(works::fp8_primer);
  autocasting();
  gradient_scaling();
  what_it_saves();
  int8_weights();
}
