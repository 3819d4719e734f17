// Lecture 2, one step of an optimizer, and what training takes.

#include "cruncher.h"
#include "optimizer.h"
#include "parts.h"

void optimizer_family() {
  text(R"(
    An optimizer changes the parameters $\theta$ by their gradients $g$. The ones in use grew out of each other:
    - **SGD** goes against the gradient: $\theta \leftarrow \theta - \eta g$.
    - **Momentum** goes against a running average of gradients.
    - **AdaGrad** divides by the size that gradients had so far: $\theta \leftarrow \theta - \eta\, g / \sqrt{\sum
      g^2}$, for each number by itself.
    - **RMSProp** does, too, but forgets: it takes a running average of the squares in place of their sum.
    - **Adam** is RMSProp with momentum, and **AdamW** is Adam with a decay of the weights that does not go through
      the gradient.)"),
      link(works::adagrad), link(works::adam);
  text(R"(A running average with $\beta$ looks back over about $1 / (1 - \beta)$ steps. Adam's usual two:)");
  const auto row = [](double beta) {  // @stepover
    const double horizon = std::round(1 / (1 - beta));
    return TableRow{beta, horizon, fmt::format("{:.0f} %", 100 * (1 - std::pow(beta, horizon)))};
  };
  table({"β", "Horizon in steps", "Share of the weight that lies within it"}, {row(0.9), row(0.95), row(0.999)});
}

void optimizer_step() {
  text("### One step of AdaGrad");
  text("Written out, it is short. What it remembers stands in its state, for each parameter by name:"), link<AdaGrad>();
  const int B = 2, D = 4, num_layers = 2;
  const Device device = cuda::is_available() ? Device("cuda") : cpu;
  const int64_t at_first = memory_allocated(device);
  Cruncher model(D, num_layers);  // @stepover
  model.to(device);
  const int64_t parameter_bytes = memory_allocated(device) - at_first;
  AdaGrad optimizer(model.parameters(), 0.01);  // @inspect optimizer
  StateDict state = model.state_dict();         // @inspect state
  text("PyTorch gives the same model the same numbers after the same draws, bit for bit. The last layer's:");
  assert(model.final.weight.cpu().view({D}).equal(tensor({0.204357877, 0.710708976, 0.0746985003, -0.335430026})));
  callout(Callout::note, R"(
    A state dict holds handles, not copies. `state` would show the changed numbers as soon as the model has
    them. To keep what was, clone it.)",
          "Before and after");
  const Tensor before = state.at("final.weight").clone();
  text("Now a forward pass, a loss, and a backward pass:");
  const Tensor x = randn({B, D}).to(device);              // @inspect x
  const Tensor y = tensor({4., 5.}, {.device = device});  // @inspect y
  const CountScope scope;
  const int64_t before_forward = memory_allocated(device);
  const Tensor pred_y = model(x);  // @stepover @inspect pred_y
  const int64_t forward_bytes = memory_allocated(device) - before_forward;
  const Tensor loss = mse_loss(pred_y, y);  // @inspect loss
  loss.backward();                          // @inspect model.final.weight.grad()
  const int64_t counted = scope.counted().flops;
  assert(std::abs(loss.item() - 18.685814F) < 1e-4F);
  text("And the step:");
  const int64_t before_step = memory_allocated(device);
  optimizer.step();            // @inspect optimizer
  state = model.state_dict();  // @inspect state
  assert(model.final.weight.cpu().view({D}).allclose(tensor({0.194357887, 0.720708966, 0.0846982226, -0.325430036}), 0,
                                                     1e-6));
  const int64_t state_bytes = memory_allocated(device) - before_step;
  text(R"(
    Look at how far the numbers went. Their gradients reach from 0.1 to 5, yet each moved by 0.01, the learning rate.
    In the first step the sum of squares has one term, $g / \sqrt{g^2}$ is the sign of $g$, and that is all.)");
  const Tensor moved = state.at("final.weight") - before;  // @inspect moved
  assert(moved.abs().allclose(full({D, 1}, 0.01, {.device = device}), 0, 1e-5));
  callout(Callout::note, R"(
    The sum includes the gradient at hand; with the earlier ones only, as it is sometimes written, the first
    step would divide by nothing. Here $10^{-5}$ is added *under* the root. PyTorch's AdaGrad adds $10^{-10}$
    *after* it. Papers and programs differ in this, and in float16 it matters.)",
          "Two details");
  text(R"(
    At last the gradients are taken away: `backward` adds to those that are there, and what stays goes into
    the next step. Whether before the pass or after the step makes no difference.)");
  const int64_t before_zero = memory_allocated(device);
  optimizer.zero_grad(/*set_to_none=*/true);
  const int64_t gradient_bytes = before_zero - memory_allocated(device);
  assert(!model.final.weight.grad().defined());
  text("### What it took");
  text("Four things had to be held, each number in 4 bytes. Parameters:");
  const int64_t num_parameters = (D * D * num_layers) + D;  // @inspect num_parameters
  assert(num_parameters == model.num_parameters());
  assert(parameter_bytes == 4 * num_parameters);
  text("Activations, the results of the layers. What the forward pass left in memory is these and `pred_y`:");
  const int64_t num_activations = B * D * num_layers;  // @inspect num_activations
  assert(forward_bytes == 4 * (num_activations + B));
  text("Gradients, and the optimizer's state:");
  const int64_t num_gradients = num_parameters;  // @inspect num_gradients
  assert(gradient_bytes == 4 * num_gradients);
  const int64_t num_optimizer_states = num_parameters;  // @inspect num_optimizer_states
  assert(state_bytes == 4 * num_optimizer_states);
  text("Together:");
  // @inspect total_memory
  const int64_t total_memory = 4 * (num_parameters + num_activations + num_gradients + num_optimizer_states);
  assert(total_memory == 496);
  text("The products keep what went *into* them, $x$ and the results of the layers: 8 numbers three times.");
  const int64_t kept_by_products = B * D * (num_layers + 1);  // @inspect kept_by_products
  assert(kept_by_products == 24);
  text("Operations, by the rule:");
  const int64_t flops = 6 * B * num_parameters;  // @inspect flops
  assert(flops == 432);
  text("And in truth, as the data want no gradient:");
  const int64_t exact_flops = flops - 2 * B * D * D;  // @inspect exact_flops
  assert(exact_flops == 368);
  const int64_t of_the_loss = counted - exact_flops;  // @inspect of_the_loss
  assert(of_the_loss > 0 && of_the_loss < 10 * B);
  text("What remains is the loss. For Transformers the same is done with more terms; these two do it well:"),
      link(works::transformer_memory), link(works::transformer_flops);
}

// What the first step of an optimizer takes for each number of p: bytes that it keeps, and operations.
struct StepCost {
  double bytes, flops;
};
// @stepover
StepCost first_step(optim::Optimizer& optimizer, const Tensor& p) {
  const int64_t before = memory_allocated();
  const CountScope scope;
  optimizer.step();
  const auto numbers = static_cast<double>(p.numel());
  return {static_cast<double>(memory_allocated() - before) / numbers,
          static_cast<double>(scope.counted().flops) / numbers};
}

void optimizer_memory() {
  text("### What optimizers keep");
  text("AdaGrad keeps one number for each parameter, others none or two. Measured on a million of them:");
  const nn::Parameter p(zeros({1000, 1000}));
  p.mutable_grad() = ones_like(p);
  optim::SGD sgd({p}, {.lr = 0.1});
  optim::SGD momentum({p}, {.lr = 0.1, .momentum = 0.9});
  AdaGrad adagrad({p});
  optim::AdamW adamw({p});
  optim::Adafactor adafactor({p});
  const StepCost of_sgd = first_step(sgd, p);
  const StepCost of_momentum = first_step(momentum, p);
  const StepCost of_adagrad = first_step(adagrad, p);
  const StepCost of_adamw = first_step(adamw, p);
  const StepCost of_adafactor = first_step(adafactor, p);
  const auto row = [](const std::string& name, StepCost cost) {  // @stepover
    return TableRow{name, "4 + 4", fmt::format("{:.3g}", cost.bytes), fmt::format("{:.3g}", 4 + 4 + cost.bytes),
                    std::round(cost.flops)};
  };
  table({"For each number", "Parameter and gradient", "State", "Bytes", "FLOPs"},
        {row("SGD", of_sgd), row("SGD with momentum", of_momentum), row("AdaGrad", of_adagrad), row("AdamW", of_adamw),
         row("Adafactor", of_adafactor)});
  assert(of_sgd.bytes == 0 && of_adagrad.bytes == 4);
  assert(std::lround(of_momentum.bytes) == 4 && std::lround(of_adamw.bytes) == 8);
  assert(of_adafactor.bytes < 0.1);
  text(R"(
    A step takes some operations for each parameter, while the passes take six for each parameter and each
    token. With thousands of tokens in a batch nobody counts the former.)");
  text("Adafactor keeps sums over rows and columns in place of the squares: memory was scarce at the time."),
      link(works::adafactor);
}

void whole_account() {
  text("### A whole account");
  text(R"(
    Take a Transformer of width 2,048 with 24 layers and 32,000 tokens, whose embedding serves as the last
    layer, too. It is to be trained with AdamW.)");
  const double d = 2048, layers = 24, vocabulary = 32'000;
  const double in_layers = 12 * d * d * layers;          // @inspect in_layers
  const double parameters = in_layers + vocabulary * d;  // @inspect parameters
  assert(std::abs(in_layers / 1.208e9 - 1) < 1e-3);
  assert(std::abs(parameters / 1.2735e9 - 1) < 1e-3);
  text(R"(
    What must be kept for the backward pass depends on the batch. With 16 bits a number, and without an
    attention that computes its weights again, each layer keeps about $34 B T d + 5 B H T^2$ bytes: its own
    intermediate results, and the weights of attention for every pair of positions.)"),
      link(works::activation_recomputation);
  const double B = 8, T = 2048, heads = 32;
  const double of_results = 34 * B * T * d * layers;           // @inspect of_results
  const double of_attention = 5 * B * heads * T * T * layers;  // @inspect of_attention
  const double activations = of_results + of_attention;        // @inspect activations
  assert(std::lround(activations / 1e9) == 156);
  const double one_result_per_layer = 2 * B * T * d * layers;  // @inspect one_result_per_layer
  assert(one_result_per_layer < activations / 90);
  const auto gb = [](double bytes) { return std::round(bytes / 1e8) / 10; };  // @stepover
  table({"What is held", "GB"}, {{"parameters, 16 bits", gb(2 * parameters)},
                                 {"gradients, 16 bits", gb(2 * parameters)},
                                 {"parameters once more, float32", gb(4 * parameters)},
                                 {"AdamW's averages, float32", gb(8 * parameters)},
                                 {"activations, layers", gb(of_results)},
                                 {"activations, attention", gb(of_attention)},
                                 {"together", gb(16 * parameters + activations)}});
  text(R"(
    A GPU of 80 GB holds the state with ease, and not the activations of this batch. Counting only the result of each
    layer, one would have found 1.6 GB for them. What helps is a smaller batch whose gradients are summed over several
    passes, to compute activations twice, or an attention that does not keep its weights. One plans 10 to 20 percent
    of headroom besides: for workspaces, for gaps between blocks, for buffers of communication.)");
  const double tokens = 300e9;
  const double h100_peak = 989.5e12;
  const double days = 6 * 1.28e9 * tokens / (8 * 0.5 * h100_peak * 86'400);  // @inspect days
  assert(std::abs(days - 6.7) < 0.05);
  text("In time: 1.28 billion parameters on 300 billion tokens take eight H100s 6.7 days at an MFU of 0.5.");
  exercise(R"(
    How many sequences fit into the 80 GB beside the state, with 15 percent of headroom and an
    attention that keeps no weights?)",
           R"(
    85 percent of 80 GB are 68; the state takes 20.4, and each sequence $34\, T d L$ = 3.4 GB. So 13.)");
  const double left = 0.85 * 80e9 - 16 * parameters;
  const double sequences = left / (of_results / B);  // @inspect sequences
  assert(std::floor(sequences) == 13);
  exercise(R"(
    You have 32 H100s for two weeks. How large a model do you train, with 20 tokens for each parameter, which
    is about what is best for a given number of operations?)",
           R"(
    At an MFU of one half they do $1.915 \cdot 10^{22}$ operations. With $6 N \cdot 20 N$ of them, $N$ is 12.6
    billion, on 253 billion tokens. Memory alone would allow 160 billion.)");
  const double budget = 32 * 0.5 * h100_peak * 14 * 86'400;  // @inspect budget
  const double best_size = std::sqrt(budget / (6 * 20));     // @inspect best_size
  assert(std::lround(best_size / 1e8) == 126);
  assert(std::lround(20 * best_size / 1e9) == 253);
}

void optimizers() {
  text("## Optimizers");
  optimizer_family();
  optimizer_step();
  optimizer_memory();
  whole_account();
}
