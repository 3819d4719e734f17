// Lecture 7, what breaks, and how one sees it.

#include <chrono>

#include "model.h"

namespace {

void other_numbers_at_the_start(), the_same_rows(), a_sum_for_a_mean(), another_shape(), another_collective(),
    a_rank_that_stays_away(), one_batch_more(), symptoms();

}  // namespace

void what_breaks() {
  text("## What breaks");
  text(R"(
    Each of the following was done on purpose. The worst are the quiet ones: the loss falls, and what is trained is
    not what one thinks.)");
  other_numbers_at_the_start();
  the_same_rows();
  a_sum_for_a_mean();
  another_shape();
  another_collective();
  one_batch_more();
  a_rank_that_stays_away();
  symptoms();
}

namespace {

// The sum of all parameters, of each rank.  @stepover
Tensor checksums(const nn::Module& model) {
  Tensor sum = zeros({1}, {.dtype = float64});
  for (const Tensor& parameter : model.parameters()) sum.add_(parameter.detach().to(float64).sum());
  const Tensor all = zeros({distributed::get_world_size()}, {.dtype = float64});
  distributed::all_gather_into_tensor(all, sum);
  return all;
}

// Whether all ranks have the same.  @stepover
bool agree(const Tensor& of_ranks) {
  return of_ranks.eq(of_ranks[0]).all().item<bool>();
}

// Averages gradients, as a first attempt at data parallelism would.  @stepover
void step_together(Model& model, optim::Optimizer& optimizer, const Batch& batch, distributed::ReduceOp how) {
  loss_of(model, batch).backward();
  for (const Tensor& parameter : model.parameters()) distributed::all_reduce(parameter.grad(), how);
  optimizer.step();
  optimizer.zero_grad();
}

void other_numbers_at_the_start() {
  text("### Other numbers at the start");
  text(R"(
    Every rank seeds its generator with its rank, say for dropout, and then makes the model. Gradients are averaged,
    properly:)");
  Model model = seeded_model(static_cast<std::uint64_t>(distributed::get_rank()));
  optim::AdamW optimizer(model.parameters(), {.lr = kRate});
  for (int64_t step = 0; step < kSteps; ++step)  // @stepover
    step_together(model, optimizer, own_part_of(batch_of(step)), distributed::ReduceOp::avg);
  const double reached = final_loss(model);  // @inspect reached
  const Tensor sums = checksums(model);      // @inspect sums @tol rel=1e-3 sums
  assert(!agree(sums));
  assert(reached > outcomes().front().loss + 0.01);
  text(R"(
    Four different models, each moved by the mean gradient of all four. The loss is not even absurd: {:.3f} on rank
    0, instead of {:.3f}. **A checksum of the parameters shows it at once**, and costs one number. The remedy is a
    broadcast at the start, which `DistributedDataParallel` does.)",
       reached, outcomes().front().loss);
  for (const Tensor& parameter : model.parameters()) distributed::broadcast(parameter, 0);  // @stepover
  assert(agree(checksums(model)));
}

void the_same_rows() {
  text("### The same rows on every rank");
  text(R"(
    All ranks shuffle with the same seed, and read from the beginning. Everything agrees, nothing fails, and three of
    four GPUs compute what the first one does:)");
  Model model = seeded_model();
  loss_of(model, part_of(batch_of(0), 0, 4)).backward();
  const Tensor gradient = model.blocks[0].up.weight.grad();
  Tensor mean = gradient.clone();
  distributed::all_reduce(mean, distributed::ReduceOp::avg);
  assert(mean.equal(gradient));
  text(R"(
    The mean of four equal gradients is that gradient. To see it, compare a checksum of the *data*: it has to differ
    between ranks.)");
  const auto sum_of = [](const Batch& rows) {  // @stepover
    const Tensor all = zeros({4});
    distributed::all_gather_into_tensor(all, rows.x.sum().reshape({1}));
    return all;
  };
  const Tensor wrong = sum_of(part_of(batch_of(0), 0, 4));  // @inspect wrong
  const Tensor right = sum_of(own_part_of(batch_of(0)));    // @inspect right
  assert(agree(wrong) && !agree(right));
}

void a_sum_for_a_mean() {
  text("### A sum for a mean");
  text(R"(
    `all_reduce` adds unless told otherwise. Who forgets to divide trains with a gradient $n$ times as large. What
    that does depends on the optimizer:)");
  const auto first_step = [](auto& model, auto& optimizer, distributed::ReduceOp how) {  // @stepover
    const Tensor before = model.blocks[0].up.weight.detach().clone();
    step_together(model, optimizer, own_part_of(batch_of(0)), how);
    return (model.blocks[0].up.weight.detach() - before).norm().template item<double>();
  };
  std::vector<double> ratios;
  {
    Model right = seeded_model(), wrong = seeded_model();
    optim::SGD of_right(right.parameters(), {.lr = 0.1}), of_wrong(wrong.parameters(), {.lr = 0.1});
    ratios.push_back(first_step(wrong, of_wrong, distributed::ReduceOp::sum) /
                     first_step(right, of_right, distributed::ReduceOp::avg));
  }
  {
    Model right = seeded_model(), wrong = seeded_model();
    optim::AdamW of_right(right.parameters(), {.lr = kRate}), of_wrong(wrong.parameters(), {.lr = kRate});
    ratios.push_back(first_step(wrong, of_wrong, distributed::ReduceOp::sum) /
                     first_step(right, of_right, distributed::ReduceOp::avg));
  }  // @inspect ratios
  assert(std::abs(ratios[0] - 4) < 1e-2 && std::abs(ratios[1] - 1) < 1e-2);
  text(R"(
    SGD takes steps four times as long: the learning rate has changed with the number of GPUs. Adam divides by the
    size of the gradient, and takes the same steps, so nobody notices; until a limit on the norm of gradients clips
    them all, or a loss scaler overflows. **Log the norm of the gradient**: it must not change with the number of
    ranks.)");
}

void another_shape() {
  text("### Another shape");
  text("One rank's last batch is shorter, and it gathers its outputs with the others:");
  const int rank = distributed::get_rank();
  const int64_t rows = rank == 3 ? 2 : 5;                                                   // @inspect rows
  const std::string shapes = error_of([&] { distributed::all_reduce(zeros({rows, 3})); });  // @stepover @inspect shapes
  assert(shapes.find("float32 [5, 3], rank 3 calls all_reduce(sum) of float32 [2, 3]") != std::string::npos);
  text(R"(
    This library compares shapes and types before each collective. Many do not, for speed: there such a call waits
    for ever, or adds numbers that do not belong together. PyTorch checks with `TORCH_DISTRIBUTED_DEBUG=DETAIL`.)");
}

void another_collective() {
  text("### Another collective");
  text(R"(
    Here rank 2 alone calls `broadcast` first, in a branch that only it takes. It is a deadlock in waiting:
    collectives have no names, the third call of one rank meets the third of the others.)");
  const int rank = distributed::get_rank();
  Tensor x = ones({3});
  const std::string order = error_of([&] {
    return rank == 2 ? distributed::broadcast(x, 2) : distributed::all_reduce(x);
  });  // @stepover @inspect order
  assert(order.find("rank 2 calls broadcast") != std::string::npos);
  distributed::all_reduce(x);  // the group is usable
  assert(x.equal(full({3}, 4.)));
}

void one_batch_more() {
  text("### One batch more");
  text(R"(
    Eleven batches on four ranks: three of them have three, one has two. In the third step, three ranks wait for one
    that has finished. The cure is to agree beforehand, on the least:)");
  const int rank = distributed::get_rank();
  const int64_t own = 11 / 4 + (rank < 11 % 4 ? 1 : 0);  // @inspect own
  Tensor steps = tensor({own});
  distributed::all_reduce(steps, distributed::ReduceOp::min);  // @inspect steps
  assert(own == (rank < 3 ? 3 : 2) && steps.item<int64_t>() == 2);
  text(R"(
    Three batches of eleven are left out then. Data sets are long enough for that; an evaluation, which should count
    every row once, pads instead and weighs.)");
}

// What an error says of the rank that was lost, without who found it, which differs from run to run.  @stepover
std::string lost_rank(const std::string& error) {
  return error.substr(error.find("rank"), error.find(" (as rank") - error.find("rank"));
}

void a_rank_that_stays_away() {
  text("### A rank that stays away");
  text(R"(
    The most common sight of all: nothing happens. One rank has crashed, or is stuck, and all others are in a
    collective, their GPUs at 100 %. What helps is a time limit, and a message that tells who is missing. For this
    section the ranks meet again, with a limit of two seconds. Rank 3 waits, with more patience, for a message that
    nobody sends:)");
  const bool elsewhere = distributed::get_rank() == 3;  // @inspect elsewhere
  distributed::destroy_process_group();
  distributed::init_process_group({.timeout = std::chrono::seconds(elsewhere ? 60 : 2)});
  const Tensor x = ones({3});
  const std::string error = error_of([&] {
    if (elsewhere) return distributed::recv(x, 0);
    distributed::all_reduce(x);
  });                                         // @stepover
  const std::string lost = lost_rank(error);  // @inspect lost
  if (!elsewhere) assert(lost == "rank 3 did not take part within 2 s: it hangs, or called something else");
  distributed::destroy_process_group();
  if (elsewhere) assert(lost == "rank 0 is gone: its process ended, or closed its connections");
  text(R"(
    Three ranks name the one that is missing, whichever of them noticed first. Rank 3 learns only that the others
    have gone. Had the message named the collective alone, one would look in the wrong place: three of four logs show
    healthy ranks. After such an error the group is lost; the training starts again from its last checkpoint.)");
}

void symptoms() {
  text("### Symptoms");
  table(
      {"What one sees", "What it is", "How to make sure"},
      {{"loss falls, but worse than with one GPU", "ranks started differently, or a rank missed an update",
        "checksums of the parameters, now and then"},
       {"loss as with a batch of one rank", "all ranks read the same rows", "checksums of the data"},
       {"gradient norm grows with the number of ranks", "a sum for a mean", "log the norm for 1 and 2 ranks"},
       {"slightly another loss", "parts of unequal size, averaged without weights", "weights by rows"},
       {"an error about shapes", "the last, incomplete batch", "drop it, or pad it"},
       {"everybody waits in the last step of an epoch", "unequal numbers of batches", "the minimum over ranks"},
       {"everybody waits, some time", "a rank hangs, or took another branch", "a time limit; the stack of *each* rank"},
       {"everybody is slow", "one rank is slow, and all wait for it", "times per rank, before the collective"}});
  text(R"(
    The last one is the reason to measure each rank's time *before* it waits. A mean over ranks hides it, since all
    ranks take as long as the slowest.)");
}

}  // namespace
