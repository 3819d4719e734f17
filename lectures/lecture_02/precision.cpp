// Lecture 2, fewer bits where they suffice.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <lectern/lecture.h>

#include "cruncher.h"
#include "parts.h"

using namespace lectern;

void autocasting(), gradient_scaling(), what_it_saves(), int8_weights();

void mixed_precision_training() {
  text("## Mixed precision");
  text("More bits: exact and stable, but slow, and large. Fewer bits: the other way "
       "round. One need not choose once for all:\n"
       "- the products of the forward and the backward pass, which are most of the "
       "work, in bfloat16, or in float8 where there is hardware for it;\n"
       "- parameters, gradients' sums and the optimizer's state in float32."),
      link({.title = "Mixed Precision Training",
            .authors = {"Paulius Micikevicius", "Sharan Narang", "Jonah Alben"},
            .date = "2017",
            .url = "https://arxiv.org/abs/1710.03740",
            .notes = "The first three of many authors."}),
      link({.title = "Automatic mixed precision",
            .organization = "PyTorch",
            .url = "https://pytorch.org/docs/stable/amp.html"}),
      link({.title = "Using FP8 with Transformer Engine",
            .organization = "NVIDIA",
            .url = ""
                   "https://docs.nvidia.com/deeplearning/transformer-engine/"
                   "user-guide/examples/fp8_primer.html"});
  autocasting();
  gradient_scaling();
  what_it_saves();
  int8_weights();
}

void autocasting() {
  text("### Autocast");
  text(
      "Nobody wants to write down for each operation which type it takes. Within the "
      "scope of an `AutocastGuard`, operations choose: products turn what they are "
      "given into bfloat16, sums and losses turn it into float32.");
  Generator generator;
  generator.manual_seed(0);
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
  // @inspect pred_y.dtype() loss.dtype()
  assert(pred_y.dtype() == bfloat16);
  assert(loss.dtype() == float32);
  text("Parameters are as they were, and so are their gradients. `backward` stands "
       "outside of the scope; it computes in the types that forward took.");
  loss.backward();
  for (const Tensor& parameter : model.parameters()) {
    assert(parameter.dtype() == float32);
    assert(parameter.grad().dtype() == float32);
  }
  const Tensor exact = model(x);  // @stepover
  const Tensor error = (pred_y.to(float32) - exact).abs().max();
  const float relative_error =
      (error / exact.abs().max()).item<float>();  // @inspect relative_error @volatile
  assert(relative_error < 0.03F);                 // 8 bits, a few roundings @volatile
}

void gradient_scaling() {
  text("### Gradients in float16");
  text("bfloat16 has the range of float32. float16 has not, and small gradients "
       "become zero in it. A loss that is multiplied by a large number has larger "
       "gradients, and they are divided again in float32, before the step. How large "
       "a number? As large as can be without an infinity: a `GradScaler` tries.");
  const Tensor tiny = tensor({1e-9, 1e-6, 1e-3});
  const Tensor lost = tiny.to(float16);  // @inspect lost
  const Tensor kept =
      (tiny * 65536).to(float16).to(float32) / 65536;  // @inspect kept
  assert(lost[0].item<float>() == 0);
  assert(kept.allclose(tiny, 1e-2, 0));

  const nn::Parameter p(ones({1}));
  optim::SGD optimizer({p}, {.lr = 0.1});
  amp::GradScaler scaler;
  scaler.scale((p * 1e36).sum()).backward();
  text("Times 65,536 this gradient is infinite. The step is left out, and the scale "
       "becomes half of it:");
  scaler.step(optimizer);
  scaler.update();
  const double scale = scaler.get_scale();  // @inspect scale
  assert(p.item<float>() == 1);
  assert(scale == 32768);
}

void what_it_saves() {
  text("### What it saves, and what it does not");
  const auto row = [](const std::string& name, int parameter, int gradient,
                      int master, int state) {
    return std::vector<std::string>{
        name,
        fmt::format("{}", parameter),
        fmt::format("{}", gradient),
        master > 0 ? fmt::format("{}", master) : "–",
        fmt::format("{}", state),
        fmt::format("{}", parameter + gradient + master + state)};
  };
  table({"Bytes for each parameter, with AdamW", "Parameter", "Gradient", "Copy",
         "State", "Together"},
        {row("float32", 4, 4, 0, 8), row("bfloat16, with a float32 copy", 2, 2, 4, 8),
         row("bfloat16 alone", 2, 2, 0, 4)});  // @stepover
  text("With a float32 copy of the parameters, which small updates need, nothing is "
       "saved: 16 bytes before and after. What becomes half are the activations, and "
       "what is moved. And what becomes faster are the products:");
  std::vector<std::vector<std::string>> rows;
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"}) {
    const Hardware hardware = find_hardware(name).value();
    const double to_float32 = peak_flops(hardware, bfloat16).value() /
                              peak_flops(hardware, float32).value();
    const double to_tf32 = peak_flops(hardware, bfloat16).value() /
                           peak_flops(hardware, float32, /*tf32=*/true).value();
    rows.push_back(
        {name, fmt::format("{:.1f}", to_float32), fmt::format("{:.1f}", to_tf32)});
  }
  table({"bfloat16's peak, as a multiple of", "float32's", "TF32's"}, rows);
  assert(rows[0][1] == "16.0");
}

void int8_weights() {
  text("### Fewer bits still, when training is over");
  text("A trained model is only read, and bears more. A row of weights is divided by "
       "its largest number and rounded to 8-bit integers; the largest number is kept "
       "beside them.");
  Generator generator;
  generator.manual_seed(0);
  const Tensor w = randn({256, 1024}, {}, &generator) / 32.0;
  const Tensor scale = w.abs().amax({1}, /*keepdim=*/true) / 127.0;
  const Tensor q = (w / scale).round().to(int8);
  const Tensor restored = q.to(float32) * scale;
  const std::int64_t bytes_before = w.nbytes();  // @inspect bytes_before
  const std::int64_t bytes_after =
      q.nbytes() + scale.nbytes();  // @inspect bytes_after
  assert(bytes_before == 4 * 256 * 1024);
  assert(bytes_after == 256 * 1024 + 4 * 256);
  text(
      "No number is off by more than half a step. And as the errors have both signs, "
      "they mostly cancel in a product:");
  assert(((restored - w).abs() <= 0.5001 * scale).all().item<bool>());
  const Tensor x = randn({1024}, {}, &generator);
  const Tensor y = w.matmul(x);
  const Tensor off = restored.matmul(x) - y;
  const float error =
      (off.norm() / y.norm()).item<float>();  // @inspect error @tol rel=1e-3 error
  assert(error < 0.01F);                      // @tol rel=1e-3 *
}
