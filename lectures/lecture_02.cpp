// Lecture 2: primitives and resource accounting. From tensors up, counting every byte
// and every operation.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <lectern/lecture.h>

#include "lecture_02/figures.h"

using namespace lectern;

void overview(), motivating_questions(), takeaways();
void tensors_basics(), tensors_memory(), tensors_on_gpus(), gpu_transfers();
void tensor_operations();
void tensor_storage(), tensor_slicing(), tensor_elementwise(), tensor_matmul();

int main() {
  lecture({.title = "Primitives and resource accounting",
           .date = "2026-11-21",
           .authors = {"The Lectern authors"},
           .tags = {"tensors", "memory", "FLOPs", "hardware"},
           .description = "What training is made of, from the bottom: tensors, where "
                          "their bytes lie, and what operations on them cost."});
  overview();
  motivating_questions();
  tensors_basics();
  tensors_memory();
  tensors_on_gpus();
  tensor_operations();
  takeaways();
}

// What a tensor's elements take: their number times the bytes of one.
std::int64_t get_memory_usage(const Tensor& x) {
  return x.numel() * x.element_size();
}

// Whether two tensors look at the same memory.
bool same_storage(const Tensor& x, const Tensor& y) {
  return x.storage().data_ptr() == y.storage().data_ptr();
}

void overview() {
  text("The first lecture turned text into integers. This one looks at what is done "
       "with numbers: the **primitives** of training, from tensors upwards, and what "
       "each of them costs.");
  text("Two resources are counted all along:\n"
       "- **memory**, in bytes: what has to be held, and where;\n"
       "- **compute**, in floating-point operations (FLOPs): what has to be done.");
  text("The habit matters more than any single number. With it, one can say before "
       "a training run begins whether it will fit, how long it will take, and where "
       "its time goes. The order of topics follows the second lecture of CS336."),
      link({.title = "CS336: Language Modeling from Scratch",
            .organization = "Stanford University",
            .url = "https://cs336.stanford.edu"});
  note("Everything here runs without a GPU. With one, the part on GPUs measures it.");
}

void motivating_questions() {
  text("## Two questions for a napkin");
  text("Training a large model costs time and memory, and both can be estimated in "
       "a minute, before anything is built. The estimate need not be exact. It has "
       "to be right to within a factor that we can name.");

  text("### How long does it take to train 70 billion parameters on 15 trillion "
       "tokens with 1,024 H100s?");
  text("Compute first. A dense Transformer takes about six floating-point operations "
       "for each parameter and each token: two in the forward pass, one "
       "multiplication and one addition, and four in the backward pass, which "
       "computes two products where the forward pass computes one.");
  const double parameters = 70e9;
  const double tokens = 15e12;
  const double total_flops = 6 * parameters * tokens;  // @inspect total_flops
  assert(total_flops == 6.3e24);

  text("Then the hardware. An H100 (SXM) is listed with 1,979 TFLOP/s in bfloat16. "
       "That figure is for matrices in which two of every four numbers are zero, so "
       "that half of the work can be left out. Ours are dense, and get half of it."),
      link({.title = "NVIDIA H100 Tensor Core GPU",
            .organization = "NVIDIA",
            .url = "https://www.nvidia.com/en-us/data-center/h100/",
            .description = "The data sheet; its footnote says that the figures are "
                           "with sparsity."});
  const double h100_peak_with_sparsity = 1979e12;
  const double h100_peak = h100_peak_with_sparsity / 2;  // @inspect h100_peak
  assert(h100_peak == 989.5e12);

  text("No training reaches the peak. The share of it that goes into the model's own "
       "operations is the *model FLOPs utilization*, or MFU. One half is good."),
      link({.title = "PaLM: Scaling Language Modeling with Pathways",
            .authors = {"Aakanksha Chowdhery", "Sharan Narang", "Jacob Devlin"},
            .date = "2022",
            .url = "https://arxiv.org/abs/2204.02311",
            .description = "Introduces model FLOPs utilization, in its section on "
                           "training efficiency.",
            .notes = "The first three of many authors."});
  const double mfu = 0.5;
  const double flops_per_day =
      h100_peak * mfu * 1024 * 60 * 60 * 24;        // @inspect flops_per_day
  const double days = total_flops / flops_per_day;  // @inspect days
  assert(std::abs(days - 143.93) < 0.005);
  text("About 144 days, not quite five months.");

  callout(
      Callout::warning,
      "The same question is sometimes answered with 88 days. That would need 82 % "
      "of the dense peak, which nobody reaches. Half of the figure *with* "
      "sparsity is no such answer either: it is the whole dense peak, and would "
      "make it 72 days.",
      "Which peak?");
  const double flops_in_88_days = flops_per_day / mfu * 88;
  const double mfu_needed = total_flops / flops_in_88_days;  // @inspect mfu_needed
  assert(std::abs(mfu_needed - 0.818) < 0.0005);
  const double days_at_full_peak = days * mfu;  // @inspect days_at_full_peak
  assert(std::lround(days_at_full_peak) == 72);

  text("### What is the largest model that one can train on 8 H100s with AdamW?");
  text("Now memory. In float32, each parameter needs 4 bytes for itself, 4 for its "
       "gradient, and 8 for the two running averages that AdamW keeps.");
  const double h100_bytes = 80e9;                   // @inspect h100_bytes
  const int bytes_per_parameter = 4 + 4 + (4 + 4);  // @inspect bytes_per_parameter
  const double num_parameters =
      h100_bytes * 8 / bytes_per_parameter;  // @inspect num_parameters
  assert(num_parameters == 4e10);
  text("Forty billion parameters.");

  text("Each of the three assumptions behind this answer deserves a look.");
  text("- **The activations are not counted.** They have to be kept for the backward "
       "pass, and their size depends on the batch and on the length of the "
       "sequences. So 40 billion is an upper bound.\n"
       "- **The state is spread evenly.** If every GPU kept the whole state for "
       "itself, as in plain data parallelism, eight of them would hold no larger "
       "model than one: 5 billion parameters.\n"
       "- **bfloat16 alone does not help.** With parameters and gradients in 2 "
       "bytes, one usually keeps a float32 copy of the parameters for the optimizer. "
       "The sum is the same.");
  const double largest_replicated =
      h100_bytes / bytes_per_parameter;  // @inspect largest_replicated
  assert(largest_replicated == 5e9);
  const int mixed_bytes_per_parameter =
      2 + 2 + 4 + (4 + 4);  // @inspect mixed_bytes_per_parameter
  assert(mixed_bytes_per_parameter == bytes_per_parameter);

  exercise("How many days would the first question's model take on the 8 GPUs of the "
           "second?",
           "128 times as many, as 1,024 / 8 = 128: about 18,400 days, or 50 years. "
           "And the 70 billion parameters would not fit.");
  const double days_on_8 = days * 1024 / 8;  // @inspect days_on_8
  assert(std::lround(days_on_8 / 365) == 50);
  assert(parameters > num_parameters);
}

void tensors_basics() {
  text("## Tensors");
  text("A tensor holds everything: parameters, gradients, the optimizer's state, "
       "data, activations. It is an array of numbers of one type, with any number "
       "of dimensions. The names here are PyTorch's."),
      link({.title = "torch.Tensor",
            .organization = "PyTorch",
            .url = "https://pytorch.org/docs/stable/tensors.html"});
  text("There are many ways to make one.");
  Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  assert(x.dim() == 2);
  assert(x.numel() == 2 * 3);
  x = zeros({4, 8});  // 4×8 zeros @inspect x
  x = ones({4, 8});   // 4×8 ones @inspect x
  Generator generator;
  generator.manual_seed(0);
  x = randn({4, 8}, {}, &generator);  // 4×8 normal samples @inspect x
  text("Random numbers come from a generator. One with a seed of its own gives the "
       "same numbers on every run, whatever else the program draws.");

  text("Memory can also be allocated without being written, for values that are to "
       "be set by something better than a constant. What stands in it before that is "
       "chance.");
  x = empty({4, 8});
  assert(x.numel() == 32);
  trunc_normal_(x, 0, 1, -2, 2, &generator);  // @inspect x
  assert(x.max().item<float>() <= 2 && x.min().item<float>() >= -2);
  callout(
      Callout::warning,
      "The bounds of a truncated normal are values, not multiples of its standard "
      "deviation. With a standard deviation of 1/128, bounds of −3 and 3 lie 384 "
      "deviations away and truncate nothing: one wants −3/128 and 3/128.",
      "Bounds of a truncated normal");
}

// One row of the table of number formats, computed from the format itself.
std::vector<std::string> format_row(Dtype dtype) {
  const FloatInfo info = finfo(dtype);
  return {fmt::format("`{}`", name(dtype)),
          fmt::format("{}", info.bits),
          "1",
          fmt::format("{}", info.exponent_bits),
          fmt::format("{}", info.mantissa_bits),
          fmt::format("{:.4g}", info.smallest_subnormal),
          fmt::format("{:.4g}", info.max),
          fmt::format("{:.1f}", (info.mantissa_bits + 1) * std::log10(2))};
}

void tensors_memory() {
  text("## What a tensor takes");
  text("Almost everything that training stores is a floating-point number: a sign, "
       "an exponent that says how large, and a mantissa (or *fraction*) that says "
       "which of the numbers of that size. Each bit more in the exponent squares the "
       "range; each bit more in the mantissa halves the gaps.");
  image(bit_layouts(),  // @stepover
        {.alt = "Six rows of boxes, one per format, aligned at the sign bit. float64 "
                "has 1 sign, 11 exponent and 52 mantissa bits; float32 1, 8, 23; "
                "bfloat16 1, 8, 7; float16 1, 5, 10; float8 e4m3fn 1, 4, 3; float8 "
                "e5m2 1, 5, 2.",
         .caption = "Bits of the floating-point formats: sign, exponent, mantissa. "
                    "Drawn from the formats' own numbers."});

  text("### float32");
  text("The default: 4 bytes. In most of computing it counts as *single* precision; "
       "in deep learning people call it full precision, as almost everything else "
       "is shorter.");
  Tensor x = zeros({4, 8});  // @inspect x
  assert(x.dtype() == float32);
  assert(x.numel() == 4 * 8);
  assert(x.element_size() == 4);
  assert(get_memory_usage(x) == 4 * 8 * 4);  // @stepover
  text("Memory is the number of values times the bytes of one: here 128 bytes. One "
       "matrix in a feed-forward layer of GPT-3 holds 603,979,776 values:");
  const Tensor gpt3_matrix =
      empty({12288 * 4, 12288});  // @inspect gpt3_matrix.shape()
  assert(gpt3_matrix.numel() == 603'979'776);
  const std::int64_t bytes =
      get_memory_usage(gpt3_matrix);  // @stepover @inspect bytes
  assert(bytes == 2'304LL * 1024 * 1024);
  text("That is 2.416 GB, or 2.25 GiB: a gigabyte is $10^9$ bytes, a gibibyte "
       "$2^{30}$. And it is one matrix of one layer, without gradient and "
       "optimizer state.");
  assert(std::lround(static_cast<double>(bytes) / 1e6) == 2416);
  assert(bytes * 4 == 9LL * 1024 * 1024 * 1024);

  text("### float16");
  text("Half of it: 2 bytes.");
  x = zeros({4, 8}, {.dtype = float16});  // @inspect x
  assert(x.element_size() == 2);
  text("The five bits of its exponent are the trouble, at the small end above all.");
  x = tensor({1e-8}, {.dtype = float16});  // @inspect x
  assert(x.item<float>() == 0);            // underflow
  text("Gradients of that size are nothing unusual; when they become zero, training "
       "stalls. Numbers go on below the smallest *normal* one, $6.1 \\cdot 10^{-5}$, "
       "with fewer and fewer digits; the last of these subnormals is about "
       "$6 \\cdot 10^{-8}$, and what is at most half of it rounds to zero.");
  x = tensor({6e-8, 3e-8, 2.9e-8}, {.dtype = float16});  // @inspect x
  assert(x[0].item<float>() > 0 && x[1].item<float>() > 0);
  assert(x[2].item<float>() == 0);

  text("### bfloat16");
  text("Google Brain's answer of 2018: the same 2 bytes, but with the exponent of "
       "float32. The price is paid in the mantissa, which learning can do without "
       "more easily than range."),
      link({.title = "BFloat16: The secret to high performance on Cloud TPUs",
            .organization = "Google Cloud",
            .date = "2019",
            .url = "https://cloud.google.com/blog/products/ai-machine-learning/"
                   "bfloat16-the-secret-to-high-performance-on-cloud-tpus"});
  x = tensor({1e-8}, {.dtype = bfloat16});  // @inspect x
  assert(x.item<float>() != 0);             // no underflow
  text("It is not exactly $10^{-8}$: with 8 significant bits, the nearest number is "
       "a tenth of a percent off.");

  text("### What the formats can do");
  const FloatInfo float32_info = finfo(float32);    // @inspect float32_info
  const FloatInfo float16_info = finfo(float16);    // @inspect float16_info
  const FloatInfo bfloat16_info = finfo(bfloat16);  // @inspect bfloat16_info
  assert(float16_info.max == 65504);
  assert(bfloat16_info.max > 3e38 && float32_info.max > 3e38);
  assert(bfloat16_info.smallest_normal == float32_info.smallest_normal);

  text("### float8");
  text("Since Hopper there is hardware for 1 byte: `float8_e4m3fn` with a little "
       "more precision for the forward pass, `float8_e5m2` with a little more range "
       "for gradients. Neither is used alone: each tensor has a scale beside it."),
      link({.title = "FP8 Formats for Deep Learning",
            .authors = {"Paulius Micikevicius", "Dusan Stosic", "Neil Burgess"},
            .date = "2022",
            .url = "https://arxiv.org/abs/2209.05433",
            .notes = "The first three of many authors."});
  x = tensor({0.3, 1., 17.3, 440.}, {.dtype = float8_e4m3fn});  // @inspect x
  assert(x[3].item<float>() == 448);
  x = tensor({0.3, 1., 17.3, 440.}, {.dtype = float8_e5m2});  // @inspect x
  assert(x[2].item<float>() == 16);
  std::vector<std::vector<std::string>> rows;
  for (const Dtype dtype :
       {float64, float32, bfloat16, float16, float8_e4m3fn, float8_e5m2}) {
    rows.push_back(format_row(dtype));  // @stepover
  }
  table({"Format", "Bits", "Sign", "Exponent", "Mantissa", "Smallest above 0",
         "Largest", "Decimal digits"},
        rows);

  text("What follows from it for training:\n"
       "- float32 works, and takes the most memory.\n"
       "- float16 and float8, and bfloat16 alone too, are risky: sums of many small "
       "terms lose them, and a small update to a large parameter disappears.\n"
       "- So one mixes: parameters and optimizer state in float32, the large "
       "products in fewer bits.");
  Tensor parameter = tensor({1.}, {.dtype = bfloat16});
  parameter += tensor({1e-3}, {.dtype = bfloat16});  // @inspect parameter
  assert(parameter.item<float>() == 1);              // the update is lost
}

void tensors_on_gpus() {
  text("## Where a tensor lies");
  text("Tensors are made in the memory of the CPU, unless one says otherwise.");
  Tensor x = zeros({32, 32});
  assert(x.device() == cpu);
  image("figures/lecture_02/cpu_gpu.svg",
        {.alt = "A CPU with its memory on the left, a GPU with its memory on the "
                "right, and between them a narrow bus. Next to each of the three "
                "connections stands how many bytes a second pass.",
         .caption = "Two memories and the road between them. Rates of a current "
                    "server, to one digit."});
  text("A GPU has a memory of its own. A tensor has to be brought there before the "
       "GPU can compute with it, and the way is the narrowest in the whole machine.");
  if (!cuda::is_available()) {
    text("This run had no GPU, so that the part which measures it was left out. "
         "Everything else is the same with one.");
    return;
  }
  const std::int64_t before = memory_allocated("cuda");
  const Tensor y = x.to("cuda");  // a copy, over the bus
  assert(y.device() == Device("cuda"));
  const Tensor z = zeros({32, 32}, {.device = "cuda"});  // made where it is needed
  const std::int64_t taken = memory_allocated("cuda") - before;  // @inspect taken
  assert(taken == 2 * (32 * 32 * 4));
  text("Two matrices of 32×32 numbers of 4 bytes: what was allocated on the GPU grew "
       "by just that. The first was copied over the bus; the second never saw it.");
  gpu_transfers();
}

/// The shortest of five runs on the GPU, in seconds.
double gpu_seconds(const std::function<void()>& work) {
  double best = INFINITY;
  for (int run = 0; run < 5; ++run) {
    cuda::synchronize();
    const auto begin = std::chrono::steady_clock::now();
    work();
    cuda::synchronize();
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

void gpu_transfers() {
  text("### What the road carries");
  text("How fast a copy is depends on the host's memory, too. Ordinary memory is "
       "*pageable*: the system may move it, so a copy first goes through a buffer of "
       "the driver. *Pinned* memory stays where it is, and the GPU fetches it by "
       "itself, while the host goes on.");
  const Tensor pageable = zeros({64, 1024, 1024});
  const Tensor pinned = pageable.pin_memory();
  const Tensor there = empty_like(pageable, {.device = "cuda"});
  assert(pinned.is_pinned() && !pageable.is_pinned());
  assert(pageable.nbytes() == 268435456);
  const double gigabytes = static_cast<double>(pageable.nbytes()) / 1e9;

  // @stepover
  const double from_pageable = gpu_seconds([&] { there.copy_(pageable); });
  // @stepover
  const double from_pinned = gpu_seconds([&] { there.copy_(pinned); });
  // @stepover
  const double to_pinned = gpu_seconds([&] { pinned.copy_(there); });
  // @stepover
  const double on_the_gpu = gpu_seconds([&] { there.clone(); });
  const auto rate = [&](double seconds) {
    return fmt::format("{:.0f}", gigabytes / seconds);
  };
  table({"Copy of 268 MB", "GB/s"},
        {{"pageable memory to the GPU", rate(from_pageable)},
         {"pinned memory to the GPU", rate(from_pinned)},
         {"the GPU to pinned memory", rate(to_pinned)},
         {"within the GPU, each byte counted once",
          rate(on_the_gpu)}});  // @stepover @volatile

  text("A copy from pinned memory does not keep the GPU from computing: on a stream "
       "of its own it overlaps with a product. That is how batches of data arrive "
       "while the one before them is being learned from.");
  const Tensor a = zeros({4096, 4096}, {.device = "cuda"});
  const cuda::Stream copies;
  const auto copy = [&] {
    const cuda::StreamGuard on(copies);
    there.copy_(pinned, /*non_blocking=*/true);
  };
  const auto multiply = [&] { (void)a.matmul(a); };
  const double copying = gpu_seconds(copy);          // @stepover
  const double multiplying = gpu_seconds(multiply);  // @stepover
  // @stepover
  const double both = gpu_seconds([&] {
    copy();
    multiply();
  });
  const auto milliseconds = [](double seconds) {
    return fmt::format("{:.2f}", 1e3 * seconds);
  };
  table({"Work", "ms", "GB/s copied"},
        {{"the copy alone", milliseconds(copying), rate(copying)},
         {"a product of 4,096×4,096 alone", milliseconds(multiplying), "–"},
         {"one after the other would be", milliseconds(copying + multiplying),
          rate(copying + multiplying)},
         {"both at once", milliseconds(both), rate(both)}});  // @stepover @volatile
}

void tensor_operations() {
  text("## Operations");
  text("Most tensors are made by operations on other tensors. Each operation has a "
       "price in memory and in compute, and some cost nothing.");
  tensor_storage();
  tensor_slicing();
  tensor_elementwise();
  tensor_matmul();
}

void tensor_storage() {
  text("### Storage and strides");
  text("A tensor is a pointer to memory that has been allocated, and a description "
       "of how to get from indices to elements. The numbers themselves lie in one "
       "row, the *storage*.");
  Tensor x = tensor(
      {{0., 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});  // @inspect x
  image(strides_of(x),                                                   // @stepover
        {.alt = "A 4 by 4 grid of the numbers 0 to 15 and below it the same 16 "
                "numbers in one row. A step down in the grid is four steps in the "
                "row; a step to the right is one.",
         .caption = "The grid is what one sees, the row is what is there."});
  text("To go down by one row, skip 4 elements in the storage; to go right by one "
       "column, skip 1.");
  assert(x.stride(0) == 4);
  assert(x.stride(1) == 1);
  text("So an element is found by a scalar product of indices and strides:");
  const int r = 1, c = 2;
  const std::int64_t index = r * x.stride(0) + c * x.stride(1);  // @inspect index
  assert(index == 6);
  assert(x.data<float>()[index] == x[r][c].item<float>());
}

void tensor_slicing() {
  text("### Views");
  Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  text("Many operations only look at the same numbers in another way. They give a "
       "*view*: a new description over the old storage. Nothing is copied, however "
       "large the tensor, and a change through one is seen through the other.");
  text("Row 0:");
  Tensor y = x[0];  // @inspect y
  assert(y.equal(tensor({1., 2, 3})));
  assert(same_storage(x, y));  // @stepover
  text("Column 1, which is `x[:, 1]` in Python:");
  y = x.index({Slice(), 1});  // @inspect y
  assert(y.equal(tensor({2., 5})));
  assert(same_storage(x, y));  // @stepover
  text("The same six numbers as a 3×2 matrix:");
  y = x.view({3, 2});  // @inspect y
  assert(y.equal(tensor({{1., 2}, {3, 4}, {5, 6}})));
  assert(same_storage(x, y));  // @stepover
  text("Transposed:");
  y = x.transpose(1, 0);  // @inspect y
  assert(y.equal(tensor({{1., 4}, {2, 5}, {3, 6}})));
  assert(same_storage(x, y));  // @stepover
  text("A change of `x` shows in `y`:");
  x[0][0] = 100;  // @inspect x y
  assert(y[0][0].item<float>() == 100);

  text("Some views can't be walked through memory in order. The transposed matrix "
       "has strides 1 and 3: its rows are columns of the storage. A further view "
       "would need strides that do not exist.");
  x = tensor({{1., 2, 3}, {4, 5, 6}});  // @inspect x
  y = x.transpose(1, 0);                // @inspect y
  assert(!y.is_contiguous());
  std::string refusal;
  try {
    y.view({2, 3});
  } catch (const TensorError& error) {
    refusal = error.what();  // @inspect refusal
  }
  assert(!refusal.empty());
  text("One has to copy first, which puts the numbers in order, in a storage of "
       "their own:");
  y = x.transpose(1, 0).contiguous().view({2, 3});  // @inspect y
  assert(y.equal(tensor({{1., 4, 2}, {5, 3, 6}})));
  assert(!same_storage(x, y));  // @stepover
  text("`reshape` does the same in one call: a view where one is possible, otherwise "
       "a copy. The convenience hides the cost. Here it is, measured:");
  const Tensor large = empty({1024, 1024});
  const std::int64_t before = memory_allocated();
  const Tensor seen = large.view({512, 2048});
  const std::int64_t cost_of_view =
      memory_allocated() - before;  // @inspect cost_of_view
  assert(cost_of_view == 0);
  const Tensor reshaped = large.t().reshape({512, 2048});
  const std::int64_t hidden_copy =
      memory_allocated() - before;  // @inspect hidden_copy
  assert(hidden_copy == 1024 * 1024 * 4);
  text("Views cost nothing; copies cost memory and time.");
}

void tensor_elementwise() {
  text("### Elementwise operations");
  text("These apply a function to every element, and give a new tensor of the same "
       "shape.");
  Tensor x = tensor({1., 4, 9});
  assert(x.pow(2).equal(tensor({1., 16, 81})));
  assert(x.sqrt().equal(tensor({1., 2, 3})));
  assert(x.rsqrt().allclose(tensor({1., 1 / 2., 1 / 3.})));  // 1 / sqrt(x)
  assert((x + x).equal(tensor({2., 8, 18})));
  assert((x * 2).equal(tensor({2., 8, 18})));
  assert((x / 0.5).equal(tensor({2., 8, 18})));
  text("`triu` keeps the upper triangle of a matrix:");
  x = ones({3, 3}).triu();  // @inspect x
  assert(x.equal(tensor({{1., 1, 1}, {0, 1, 1}, {0, 0, 1}})));
  text("It makes the mask of causal attention: entry $(i, j)$ says how much "
       "position $i$ gives to position $j$.");
  text("Shapes need not be equal. Sizes are matched from the last dimension on, and "
       "a size of 1 is *broadcast*: repeated, by a stride of 0, without a copy.");
  const Tensor row = tensor({10., 20, 30});
  const Tensor sum = x + row;  // @inspect sum
  assert(sum.equal(tensor({{11., 21, 31}, {10, 21, 31}, {10, 20, 31}})));
  const Tensor repeated = row.expand({3, 3});  // @inspect repeated.strides()
  assert(repeated.stride(0) == 0);
  assert(same_storage(row, repeated));  // @stepover
}

void tensor_matmul() {
  text("### Matrix products");
  text("The bread and butter of deep learning is the matrix product.");
  const Tensor x = ones({16, 32});
  const Tensor w = ones({32, 2});
  const Tensor y = x.matmul(w);  // @inspect y.shape()
  assert(y.shape() == Sizes({16, 2}));
  assert(y[0][0].item<float>() == 32);
  text("In a model, everything is done for each example of a batch and for each "
       "position of a sequence.");
  image("figures/lecture_02/batch_sequence.svg",
        {.alt = "A block of numbers with three edges: batch, sequence, and hidden. "
                "One slice of it, for one example, is a matrix with a row for each "
                "token.",
         .caption = "Activations of a batch: for each example and each token, a "
                    "vector."});
  const Tensor batch = ones({4, 8, 16, 32});
  const Tensor products = batch.matmul(w);  // @inspect products.shape()
  assert(products.shape() == Sizes({4, 8, 16, 2}));
  text("The product goes over the leading dimensions, and multiplies a 16×32 matrix "
       "with `w` for each pair of the first two. As `w` is the same for all of them, "
       "that is one product of a (4·8·16)×32 matrix, which is how it is computed.");
  const std::int64_t flops = 2LL * (4 * 8 * 16) * 32 * 2;  // @inspect flops
  assert(flops == 65'536);
  text(
      "Each of its 4·8·16·2 results takes 32 multiplications and as many additions.");
}

void takeaways() {
  text("## What to take away");
  text("- A tensor is a storage and a description. Memory is the number of elements "
       "times their size; what shares a storage shares its bytes.\n"
       "- float32 is the safe choice, bfloat16 the usual one, and each bit has a "
       "place where it is missed.\n"
       "- Views are free, copies are not, and `reshape` can be either.\n"
       "- A napkin answers how long and how large, if one knows which peak is meant "
       "and what was left out.");
}
