// Lecture 2, what a napkin can answer.

#include "../shared/training_time_calculator.h"
#include "parts.h"

void napkin() {
  text("## Two questions for a napkin");
  text(R"(
    Training a large model costs time and memory, and both can be estimated in a minute, before anything is
    built. The estimate need not be exact. It has to be right to within a factor that we can name.)");
  text("### How long does it take to train 70 billion parameters on 15 trillion tokens with 1,024 H100s?");
  text(R"(
    Compute first. A dense Transformer takes about six floating-point operations for each parameter and each
    token: two in the forward pass, one multiplication and one addition, and four in the backward pass, which
    computes two products where the forward pass computes one.)");
  const double parameters = 70e9;
  const double tokens = 15e12;
  const double total_flops = 6 * parameters * tokens;  // @inspect total_flops
  assert(total_flops == 6.3e24);
  text(R"(
    Then the hardware. An H100 (SXM) is listed with 1,979 TFLOP/s in bfloat16, for matrices in which two of
    every four numbers are zero: half of the work is left out. Ours are dense, and get half of it.)"),
      link(works::h100);
  const double h100_peak_with_sparsity = 1979e12;
  const double h100_peak = h100_peak_with_sparsity / 2;  // @inspect h100_peak
  assert(h100_peak == 989.5e12);
  text(R"(
    No training reaches the peak. The share of it that goes into the model's own operations is the *model
    FLOPs utilization*, or MFU. One half is good.)"),
      link(works::palm);
  const double mfu = 0.5;
  const double flops_per_day = h100_peak * mfu * 1024 * 60 * 60 * 24;  // @inspect flops_per_day
  const double days = total_flops / flops_per_day;                     // @inspect days
  assert(std::abs(days - 143.93) < 0.005);
  text("About 144 days, not quite five months. With other numbers:");
  // @stepover
  calculator("How long does training take?", training_time_inputs(), training_time, {training_time_presets()});
  callout(Callout::warning, R"(
    The same question is sometimes answered with 88 days. That would need 82 % of the dense peak, which
    nobody reaches. Half of the figure *with* sparsity is no such answer either: it is the whole dense peak,
    and would make it 72 days.)",
          "Which peak?");
  const double flops_in_88_days = flops_per_day / mfu * 88;
  const double mfu_needed = total_flops / flops_in_88_days;  // @inspect mfu_needed
  assert(std::abs(mfu_needed - 0.818) < 0.0005);
  const double days_at_full_peak = days * mfu;  // @inspect days_at_full_peak
  assert(std::lround(days_at_full_peak) == 72);
  text("### What is the largest model that one can train on 8 H100s with AdamW?");
  text("Now memory. In float32 each parameter takes 4 bytes, its gradient 4, and AdamW's two averages 8.");
  const double h100_bytes = 80e9;                                      // @inspect h100_bytes
  const int bytes_per_parameter = 4 + 4 + (4 + 4);                     // @inspect bytes_per_parameter
  const double num_parameters = h100_bytes * 8 / bytes_per_parameter;  // @inspect num_parameters
  assert(num_parameters == 4e10);
  text("Forty billion parameters.");
  text("Each of the three assumptions behind this answer deserves a look.");
  text(R"(
    - **The activations are not counted.** They have to be kept for the backward pass, and their size depends
      on the batch and on the length of the sequences. So 40 billion is an upper bound.
    - **The state is spread evenly.** If every GPU kept the whole state for itself, as in plain data
      parallelism, eight of them would hold no larger model than one: 5 billion parameters.
    - **bfloat16 alone does not help.** With parameters and gradients in 2 bytes, one usually keeps a float32
      copy of the parameters for the optimizer. The sum is the same.)");
  const double largest_replicated = h100_bytes / bytes_per_parameter;  // @inspect largest_replicated
  assert(largest_replicated == 5e9);
  const int mixed_bytes_per_parameter = 2 + 2 + 4 + (4 + 4);  // @inspect mixed_bytes_per_parameter
  assert(mixed_bytes_per_parameter == bytes_per_parameter);
  exercise("How many days would the first question's model take on the 8 GPUs of the second?", R"(
    128 times as many, as 1,024 / 8 = 128: about 18,400 days, or 50 years. And the 70 billion
    parameters would not fit.)");
  const double days_on_8 = days * 1024 / 8;  // @inspect days_on_8
  assert(std::lround(days_on_8 / 365) == 50);
  assert(parameters > num_parameters);
}
