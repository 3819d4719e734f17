// Lecture 4, the state of training divided among GPUs.

#include "figures.h"
#include "sharded_memory_calculator.h"

namespace {

void the_stages(), shares_are_enough(), what_it_sends();

}  // namespace

void sharding() {
  text("## Sharding");
  text(R"(
    With plain data parallelism each GPU takes a part of the batch and holds the whole state. For the model of the
    opening, at 16 bytes per parameter, that is 202 GB, on GPUs of 80. But no GPU needs all of it all the time, and
    **ZeRO** gives each a share.)"),
      link(works::zero);
  the_stages();
  shares_are_enough();
  what_it_sends();
}

namespace {

void the_stages() {
  text("### Three stages");
  text(R"(
    With 16-bit parameters and gradients and a float32 copy, $R$ GPUs and $N$ parameters, each holds
    - without sharding, $2 N + 2 N + 12 N$ bytes;
    - in **stage 1**, $2 N + 2 N + 12 N / R$: each updates only a share of the parameters, and has only that share's
      state;
    - in **stage 2**, $2 N + (2 + 12) N / R$: it needs the summed gradients of its share alone;
    - in **stage 3**, $16 N / R$: it holds a share of the parameters, too, and fetches the others when their layer is
      due.)");
  const double N = 12.6e9, R = 32;
  // @stepover
  image(
      zero_stages(N, R, kH100.memory),
      {.alt = "Four bars of what one of 32 GPUs holds for 12.6 billion parameters. Not sharded 202 gigabytes, of which "
              "151 are the optimizer's state and master copy, far beyond a dashed line at the 80 of an H100. In stage "
              "1 it is 55, in stage 2 31, in stage 3 6.",
       .caption = "Training state on each of 32 GPUs, 12.6 billion parameters."});
  const auto held = [&](accounting::ZeroStage stage) {  // @stepover
    return accounting::training_memory(N, accounting::OptimizerState::adam, accounting::kMasterCopyTraining, stage, R)
        .total();
  };
  const double unsharded = held(accounting::ZeroStage::none);     // @inspect unsharded
  const double stage1 = held(accounting::ZeroStage::optimizer);   // @inspect stage1
  const double stage2 = held(accounting::ZeroStage::gradients);   // @inspect stage2
  const double stage3 = held(accounting::ZeroStage::parameters);  // @inspect stage3
  assert(unsharded == 16 * N && stage1 == 4 * N + 12 * N / R);
  assert(stage2 == 2 * N + 14 * N / R && stage3 == 16 * N / R);
  assert(stage1 < kH100.memory && kH100.memory < unsharded);
  text(R"(
    So the model fits from stage 1 on, which leaves 25 GB for activations; stage 2 leaves 49 GB. Stage 1 divides the
    largest part, and is the first to try. For other models:)");
  assert(std::lround((kH100.memory - stage1) / 1e9) == 25 && std::lround((kH100.memory - stage2) / 1e9) == 49);
  // @stepover
  calculator("Training state on each GPU", sharded_memory_inputs(), sharded_memory, {sharded_memory_presets()});
  exercise("Which stage do 70 billion parameters need on 64 H100s? And on 16?", R"(
    On 64: stage 1 would take $4 \cdot 70 + 12 \cdot 70 / 64 = 293$ GB, stage 2 $140 + 15.3 = 155$ GB, stage 3 17.5
    GB: the third. On 16 it takes 70 GB, and leaves 10 for activations.)");
  const auto large = [](accounting::ZeroStage stage, double devices) {  // @stepover
    return accounting::training_memory(70e9, accounting::OptimizerState::adam, accounting::kMasterCopyTraining, stage,
                                       devices)
               .total() /
           1e9;
  };
  assert(std::lround(large(accounting::ZeroStage::optimizer, 64)) == 293);
  assert(std::lround(large(accounting::ZeroStage::gradients, 64)) == 155);
  assert(large(accounting::ZeroStage::parameters, 64) == 17.5 && large(accounting::ZeroStage::parameters, 16) == 70);
}

void shares_are_enough() {
  text("### A share is enough");
  text(R"(
    That this works rests on AdamW treating each element by itself: a share of the parameters with its share of the
    gradients becomes what it would have become in the whole. Four optimizers, each with about a quarter of 1,002
    parameters, against one with all:)");
  manual_seed(0);
  const int64_t N = 1002, R = 4;
  const Tensor start = randn({N});
  const nn::Parameter whole(start.clone());
  optim::AdamW all({whole});
  const int64_t size = (N + R - 1) / R;
  std::vector<nn::Parameter> shares;
  std::vector<std::unique_ptr<optim::AdamW>> ranks;
  for (int64_t r = 0; r < R; ++r) {  // @stepover
    shares.emplace_back(start.narrow(0, r * size, std::min(size, N - r * size)).clone());
    ranks.push_back(std::make_unique<optim::AdamW>(std::vector<Tensor>{shares.back()}));
  }
  std::vector<int64_t> state_bytes;
  for (int t = 0; t < 3; ++t) {  // @stepover
    const Tensor gradient = randn({N});
    whole.mutable_grad() = gradient.clone();
    all.step();
    for (int64_t r = 0; r < R; ++r) {
      const auto i = static_cast<std::size_t>(r);
      shares[i].mutable_grad() = gradient.narrow(0, r * size, shares[i].numel()).clone();
      const int64_t before = memory_allocated();
      ranks[i]->step();
      if (t == 0) state_bytes.push_back(memory_allocated() - before);
    }
  }
  const Tensor gathered = cat(std::vector<Tensor>(shares.begin(), shares.end()));
  assert(gathered.equal(whole));            // bit by bit
  const int64_t of_first = state_bytes[0];  // @inspect state_bytes
  assert(of_first == 8 * size + 4);
  text(R"(
    The state of a rank is at most $8 \lceil N / R \rceil$ bytes, and 4 for the count of its steps. The library's
    `ZeroRedundancyOptimizer` does this between processes. An update that is not elementwise cannot be divided like
    that: Adafactor needs the means of whole rows and columns, Muon whole matrices.)");
}

// The sum of all ranks' arrays, on each of them, in a ring: each time a rank sends one chunk to the next.
// Returns how many bytes each has sent.
int64_t ring_all_reduce(std::vector<Tensor>& arrays) {
  const auto R = static_cast<int64_t>(arrays.size());
  const int64_t chunk = arrays[0].numel() / R;
  const auto piece = [&](int64_t rank, int64_t index) {
    return arrays[static_cast<std::size_t>(rank % R)].narrow(0, ((index % R + R) % R) * chunk, chunk);
  };
  int64_t sent = 0;
  const auto round = [&](int64_t first, bool adds) {  // rank r sends chunk first + r
    std::vector<Tensor> messages;
    for (int64_t r = 0; r < R; ++r) messages.push_back(piece(r, first + r).clone());
    for (int64_t r = 0; r < R; ++r) {
      Tensor to = piece(r + 1, first + r);
      const Tensor& message = messages[static_cast<std::size_t>(r)];
      adds ? to.add_(message) : to.copy_(message);
    }
    sent += messages[0].nbytes();
  };
  for (int64_t s = 0; s < R - 1; ++s) round(-s, true);      // reduce-scatter: rank r has the sum of chunk r + 1
  for (int64_t s = 0; s < R - 1; ++s) round(1 - s, false);  // all-gather
  return sent;
}

void what_it_sends() {
  text("### What it sends");
  text(R"(
    Gradients have to be summed over the GPUs in any case. A ring does it in two halves. In the first, each chunk of
    the array travels around and collects a term at each stop; then each GPU has the sum of one chunk
    (*reduce-scatter*). In the second, the sums travel around (*all-gather*). In each half a GPU sends $(R - 1) / R$ of
    the array.)"),
      link(works::ring_all_reduce), link(ring_all_reduce);
  const int64_t R = 8, N = 8 * 100;
  std::vector<Tensor> arrays;
  for (int64_t r = 0; r < R; ++r) arrays.push_back(full({N}, static_cast<double>(r + 1)));  // @stepover
  const int64_t sent = ring_all_reduce(arrays);                                             // @stepover @inspect sent
  for (const Tensor& array : arrays) assert(array.equal(full({N}, 36.)));                   // @stepover
  assert(static_cast<double>(sent) == accounting::all_reduce_bytes(4. * N, R));
  text(R"(
    Stages 1 and 2 cut this in the middle: after the first half each GPU has the summed gradients of its share, updates
    the share, and the second half sends the new parameters in place of the gradients. **The same volume, a fraction
    of the memory.** Stage 3 gathers parameters for the forward pass and again for the backward pass: half as much
    again.)");
  const auto volume = [](accounting::ZeroStage stage) {  // @stepover
    return accounting::data_parallel_bytes(12.6e9, 32, stage, accounting::kMasterCopyTraining);
  };
  const double plain = volume(accounting::ZeroStage::none);         // @inspect plain
  const double stage1 = volume(accounting::ZeroStage::optimizer);   // @inspect stage1
  const double stage3 = volume(accounting::ZeroStage::parameters);  // @inspect stage3
  assert(std::abs(stage1 / plain - 1) < 1e-12 && std::abs(stage3 / plain - 1.5) < 1e-12);
}

}  // namespace
