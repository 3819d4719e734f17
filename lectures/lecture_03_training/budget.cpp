// Lecture 3, memory and operations: predicted, then measured.

#include "../shared/transformer_parameters_calculator.h"
#include "../shared/with_commas.h"
#include "model.h"

namespace {

struct Batch {
  Tensor inputs, targets;
};

Batch some_batch(int64_t sequences, int64_t length) {
  Generator generator = Generator().manual_seed(2);
  const auto [inputs, targets] = get_batch(training_tokens(), sequences, length, &generator);
  return {inputs.to(kDevice), targets.to(kDevice)};
}

void budget_of_memory(), budget_of_operations(), recomputing(), fewer_bits(), from_operations_to_time();

}  // namespace

// (V + T) d for the embeddings, L (12 d² + 13 d) for the blocks, 2 d for the last norm.
int64_t number_of_parameters(const ModelSize& size) {
  const int64_t d = size.width;
  return (size.vocabulary + size.context) * d + size.layers * (12 * d * d + 13 * d) + 2 * d;
}

void the_budget() {
  text("## The budget");
  text(R"(
    Before the first step we predict what it will take, part by part, and then look whether it is so. A formula that
    is off by a factor shows that we have not understood what the program does; often the program has not, either.)");
  budget_of_memory();
  recomputing();
  budget_of_operations();
  fewer_bits();
  from_operations_to_time();
}

namespace {

// What forward keeps for backward, in bytes, for n tokens in float32. A block keeps 16 numbers for each token and
// feature: what goes into its norms (2) and comes out (2), query, key and value (3), what attention gives (1), what
// goes into gelu and comes out (4 + 4). Each norm keeps a mean and a deviation for each token, attention on a GPU
// what it divided by, for each token and head, the loss logits and their sums. Positions are int64.
int64_t activation_bytes(const ModelSize& size, int64_t n, int64_t time) {
  const int64_t d = size.width;
  const int64_t divisors = kDevice.is_cuda() ? size.heads : 0;
  const int64_t blocks = size.layers * n * (16 * d + 4 + divisors);
  const int64_t last_norm = n * (2 * d + 2);
  const int64_t loss = n * (size.vocabulary + 2) + 1 + 1;
  return 4 * (blocks + last_norm + loss) + 8 * time;
}

void budget_of_memory() {
  text("### Memory");
  const ModelSize size;
  const int64_t N = number_of_parameters(size);  // @stepover @inspect N
  const int64_t empty_handed = memory_allocated(kDevice);
  const auto taken = [&] { return memory_allocated(kDevice) - empty_handed; };
  text(R"(
    **Parameters.** Each takes 4 bytes. The last layer has none of its own: it shares the matrix of the embeddings.)");
  manual_seed(0);
  Gpt model(size);                                 // @stepover
  const int64_t counted = model.num_parameters();  // @inspect counted
  assert(counted == N);
  const int64_t for_parameters = taken();  // @stepover @inspect for_parameters
  assert(for_parameters == 4 * N);
  text("Where they are in larger models:");
  // @stepover
  calculator("Parameters of a Transformer", transformer_parameters_inputs(), transformer_parameters,
             {transformer_parameters_presets()});

  text(R"(
    **Activations.** What the forward pass computes and the backward pass needs again stays in memory until then. It
    grows with the number of tokens in a batch, $n = B \cdot T$, and not with that of parameters. Going through a
    block operation by operation gives 16 numbers for each token and feature:)"),
      link(activation_bytes);
  const int64_t B = 16 * kScale;
  const int64_t n = B * size.context;
  const Batch batch = some_batch(B, size.context);                    // @stepover
  const int64_t before = taken();                                     // @stepover
  Tensor loss = loss_of(model, batch.inputs, batch.targets);          // @stepover
  const int64_t for_activations = taken() - before;                   // @stepover @inspect for_activations
  const int64_t predicted = activation_bytes(size, n, size.context);  // @stepover @inspect predicted
  assert(for_activations == predicted);
  text(R"(
    To the byte. No $T \times T$ matrix is among them: attention computes its weights a few rows at a time and once
    more for the backward pass.)");

  text("**Gradients.** `backward` gives the activations back as it goes and leaves a gradient for each parameter.");
  loss.backward();  // @stepover
  loss = Tensor();
  const int64_t for_gradients = taken() - before;  // @stepover @inspect for_gradients
  assert(for_gradients == 4 * N);

  text(R"(
    **The optimizer.** AdamW keeps two averages for each parameter, from its first step on, and for each tensor the
    number of the step.)");
  optim::AdamW optimizer(model.parameters());
  const int64_t without = taken();  // @stepover
  optimizer.step();                 // @stepover
  const auto tensors = static_cast<int64_t>(model.parameters().size());
  const int64_t for_optimizer = taken() - without;     // @stepover @inspect for_optimizer
  const int64_t steps = kScale > 1 ? 0 : 4 * tensors;  // on the host
  assert(for_optimizer == 8 * N + steps);
  table({"Part", "Formula", "Bytes, predicted and measured"},
        {{"parameters", "$4 N$", for_parameters},
         {"gradients", "$4 N$", for_gradients},
         {"state of AdamW", "$8 N$, and 4 for each tensor", for_optimizer},
         {"activations", "about $4 n (16 d L + V)$", for_activations}},
        {.caption = fmt::format("N = {} parameters, n = {} tokens in a batch.", with_commas(N), with_commas(n))});
  text(R"(
    The stack counts for itself what memory serves. These are a whole step's bytes when most of them were taken:)");
  optimizer.zero_grad();
  const accounting::Scope scope(kDevice);
  loss_of(model, batch.inputs, batch.targets).backward();  // @stepover
  optimizer.step();                                        // @stepover
  const MemoryByCategory at_peak = scope.cost().peak;      // @inspect at_peak
  assert(at_peak[MemoryCategory::parameter] == 4 * N);
  assert(at_peak[MemoryCategory::optimizer] == for_optimizer);
  text(R"(
    For this small model, the activations of one batch outweigh everything else. For a large one it depends on the
    batch, which leads to two remedies.)");
  text(R"(
    The first is **gradient accumulation**: several small batches, one after the other, whose gradients add up, and
    then one step. The activations are those of a small batch, the gradient is that of a large one, as long as each
    loss is divided by the number of batches:)");
  const auto gradient_of = [&](const std::vector<Batch>& parts) {
    model.zero_grad();
    for (const Batch& part : parts) {
      const Tensor mean = loss_of(model, part.inputs, part.targets);
      (mean / static_cast<double>(parts.size())).backward();
    }
    return model.blocks[0].up.weight.grad().clone();
  };
  const auto part = [&](int64_t half) {
    return Batch{batch.inputs.narrow(0, half * B / 2, B / 2), batch.targets.narrow(0, half * B / 2, B / 2)};
  };
  const Tensor at_once = gradient_of({batch});            // @stepover
  const Tensor in_two = gradient_of({part(0), part(1)});  // @stepover
  const double apart = ((at_once - in_two).norm() / at_once.norm()).item();
  assert(apart < 1e-4);  // @tol abs=1e-4 *
}

// The most memory that a forward and a backward pass take, and a gradient.
struct Pass {
  int64_t peak;  // bytes, above what was there before
  Tensor gradient;
  int64_t flops;
};

Pass one_pass(Gpt& model, const Batch& batch) {
  model.zero_grad();
  reset_peak_memory_stats(kDevice);
  const int64_t before = memory_allocated(kDevice);
  const CountScope scope;
  loss_of(model, batch.inputs, batch.targets).backward();
  return {max_memory_allocated(kDevice) - before, model.blocks[0].up.weight.grad().clone(), scope.counted().flops};
}

void recomputing() {
  text("### Memory for operations");
  text(R"(
    The second remedy is **activation checkpointing**: keep only what goes into each block, $d$ numbers for each token
    instead of $16 d$, and compute the block once more when the backward pass comes to it.)"),
      link(works::sublinear_memory);
  ModelSize size;
  size.layers *= 3;  // so that there is something to save
  manual_seed(0);
  Gpt model(size);                                            // @stepover
  const Batch batch = some_batch(16 * kScale, size.context);  // @stepover
  const Pass kept = one_pass(model, batch);                   // @stepover @inspect kept.peak kept.flops
  model.is_checkpointed = true;
  const Pass again = one_pass(model, batch);  // @stepover @inspect again.peak again.flops
  text("The gradients are the same to the last bit, as the same operations were done on the same numbers:");
  assert(again.gradient.equal(kept.gradient));
  text(R"(
    What should the peaks be? Without it, the activations and the gradient of the logits, which comes first. With it,
    what goes into each block, one block's own, and what is on its way back there: gradients of the hidden layer and
    of the sum beside it, and those of the parameters that were passed.)");
  const int64_t n = batch.inputs.numel();
  const int64_t d = size.width;
  const int64_t peak = activation_bytes(size, n, size.context) + 4 * n * size.vocabulary;  // @stepover
  const int64_t own = 15 * d + 4;                                                          // of one block
  const int64_t on_the_way = 4 * d + d;                                                    // gradients
  const int64_t passed = size.vocabulary * d + 2 * d + 4 * d * d + d;
  const int64_t lower_peak = 4 * n * (size.layers * d + own + on_the_way) + 4 * passed;
  table({"Peak, in bytes", "Predicted", "Measured"},
        {{"all activations kept", peak, kept.peak}, {"blocks computed again", lower_peak, again.peak}});
  const double tolerance = kDevice.is_cuda() ? 0.1 : 0.01;  // a GPU's products have a workspace, 32 MiB on a Hopper
  const auto agree = [=](int64_t predicted, int64_t measured) {
    return std::abs(static_cast<double>(predicted) / static_cast<double>(measured) - 1) < tolerance;
  };
  assert(agree(peak, kept.peak));         // @stepover
  assert(agree(lower_peak, again.peak));  // @stepover
  assert(again.peak * 4 < kept.peak);
  text(R"(
    And it costs: the blocks' forward passes are done once more. One forward and two backward become two and two, a
    third more operations, less what lies outside of blocks.)");
  const double extra = static_cast<double>(again.flops) / static_cast<double>(kept.flops);  // @inspect extra
  assert(extra > 1.2 && extra < 4 / 3.);
}

void budget_of_operations() {
  text("### Operations");
  text(R"(
    Lecture 2's rule says $6 N$ operations for each token. The products can be counted exactly. Forward, a block takes
    $24 d^2$ for each token, and attention $4 d$ for each token that it sees, $(T + 1) / 2$ on average; the last layer
    takes $2 V d$. Backward, each product becomes two. Attention becomes 2.5, since it computes its weights again.)");
  const ModelSize size;
  const int64_t d = size.width;
  const int64_t n = 16 * kScale * size.context;
  const int64_t matrices = n * (size.layers * 24 * d * d + 2 * size.vocabulary * d);
  const int64_t attention = n * size.layers * 2 * d * (size.context + 1);
  const int64_t predicted = 3 * matrices + attention * 7 / 2;  // @inspect predicted
  manual_seed(0);
  Gpt model(size);                                            // @stepover
  const Batch batch = some_batch(16 * kScale, size.context);  // @stepover
  const Pass pass = one_pass(model, batch);                   // @stepover @inspect pass.flops
  const double share = static_cast<double>(predicted) / static_cast<double>(pass.flops);  // @inspect share
  assert(share < 1 && share > 0.9);
  text(R"(
    The products are {:.1f} % of all operations; what remains are norms, activations, softmax and sums. It is more
    than in a large model, of which the products grow with $d^2$, the rest with $d$.)",
       100 * share);
  const int64_t N = number_of_parameters(size);  // @stepover
  const double by_the_rule = 6. * static_cast<double>(N * n);
  const double rule_against_products = by_the_rule / static_cast<double>(predicted);  // @inspect rule_against_products
  assert(std::abs(rule_against_products - 1) < 0.1);
  text(R"(
    The rule of $6 N$ is right to within a tenth. It does not know of attention's products, and takes the embeddings
    of positions, which are only looked up, for one.)");
  text(R"(
    And the step itself? AdamW reads and writes 28 bytes for each parameter: itself, its gradient, two averages. It
    has nothing to multiply matrices with, and waits for memory.)");
  optim::AdamW optimizer(model.parameters());
  optimizer.step();  // @stepover
  const CountScope scope;
  optimizer.step();
  const Counters step = scope.counted();  // @inspect step.flops step.bytes
  assert(step.bytes == 28 * N);
  assert(static_cast<double>(step.flops) < 0.01 * static_cast<double>(pass.flops));
}

void fewer_bits() {
  text("### Fewer bits");
  text(R"(
    Under **autocast**, products turn their operands into bfloat16, and what would lose too many digits, such as norms
    and losses, computes in float32. Parameters, gradients and the optimizer's state stay float32, so that small
    updates are not lost.)");
  const ModelSize size;
  manual_seed(0);
  const Gpt model(size);                                      // @stepover
  const Batch batch = some_batch(16 * kScale, size.context);  // @stepover
  const auto forward = [&](bool enabled) {
    const int64_t before = memory_allocated(kDevice);
    Tensor loss;
    {
      const AutocastGuard autocast(kDevice, bfloat16, enabled);
      loss = loss_of(model, batch.inputs, batch.targets);
    }
    return std::pair(loss.item<double>(), memory_allocated(kDevice) - before);
  };
  const auto [loss, bytes] = forward(false);               // @stepover
  const auto [rounded_loss, fewer_bytes] = forward(true);  // @stepover
  const double difference = std::abs(rounded_loss - loss);
  assert(difference < 0.01);                                                           // @tol abs=1e-2 *
  const double share = static_cast<double>(fewer_bytes) / static_cast<double>(bytes);  // @inspect share
  assert(share > 0.5 && share < 0.85);
  text(R"(
    The loss moves in its third digit at most. The activations take {:.0f} % of what they took, and not half: sums
    along the way and what goes into norms stay float32, and copies of the parameters in 16 bits have come.)",
       100 * share);
}

// Operations a second of a product of two matrices: the most that we have seen this machine do.
double measured_peak(Dtype dtype) {
  const int64_t n = 512 * kScale * kScale;
  const Tensor a = ones({n, n}, {.dtype = dtype, .device = kDevice});
  return 2. * static_cast<double>(n * n * n) / measure_seconds([&] { (void)a.matmul(a); });
}

void from_operations_to_time() {
  text("### From operations to time");
  text(R"(
    How long will a step take? For a GPU a data sheet promises a rate, for other processors nothing does. So we
    measure one, that of a large product, and call it so: what follows is a share of a *measured* peak.)");
  const ModelSize size;
  manual_seed(0);
  Gpt model(size);                                            // @stepover
  const Batch batch = some_batch(16 * kScale, size.context);  // @stepover
  int64_t flops = 0;
  // @stepover @inspect seconds @volatile
  const double seconds = measure_seconds([&] { flops = one_pass(model, batch).flops; });
  const double peak = measured_peak(float32);  // @stepover @inspect peak @volatile
  const double rate = static_cast<double>(flops) / seconds;
  // @volatile
  text(R"(
    A forward and a backward pass took {:.0f} ms, at {:.0f} GFLOP/s: {:.0f} % of the {:.0f} GFLOP/s of a large
    product. The matrices of a small model are small, and between the products there is much that waits for memory.)",
       1e3 * seconds, rate / 1e9, 100 * rate / peak, peak / 1e9);
}

}  // namespace
