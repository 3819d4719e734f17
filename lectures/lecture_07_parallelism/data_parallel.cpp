// Lecture 7, the batch divided among the ranks.

#include "model.h"

namespace {

void by_hand(), in_buckets(), several_batches_for_one_step(), what_is_not_used(), parts_that_are_not_equal();

}  // namespace

void data_parallel() {
  text("## The batch divided");
  text(R"(
    The simplest division: every rank has the whole model, and a part of each batch. What everyone lacks then is the
    gradient of the other parts. The loss is a mean over rows, so its gradient is the mean of the gradients of equal
    parts: one all-reduce.)");
  by_hand();
  in_buckets();
  several_batches_for_one_step();
  what_is_not_used();
  parts_that_are_not_equal();
}

namespace {

void by_hand() {
  text("### By hand");
  const int rank = distributed::get_rank(), ranks = distributed::get_world_size();
  Model model = seeded_model();
  const Batch batch = batch_of(0);
  const Batch own = part_of(batch, rank, ranks);
  const Tensor loss = loss_of(model, own);  // @inspect loss
  loss.backward();
  const Tensor one = model.blocks[0].up.bias.grad().narrow(0, 0, 4).clone();  // @inspect one
  text("Four of the gradients, before and after they are averaged:");
  for (const Tensor& parameter : model.parameters())  // @stepover
    distributed::all_reduce(parameter.grad(), distributed::ReduceOp::avg);
  const Tensor mean = model.blocks[0].up.bias.grad().narrow(0, 0, 4);  // @inspect mean
  text(R"(
    Is that what one process computes? There are two answers. Against one that takes the four parts in turn, every
    bit is the same, since the library adds in the order of ranks. Against one that takes all 256 rows at once, it is
    the same within rounding: its matrix products add up the rows in another order.)");
  Model in_turn = seeded_model(), at_once = seeded_model();
  backward_by_parts(in_turn, batch, ranks);
  loss_of(at_once, batch).backward();
  const bool same_bits = same_gradients(model, in_turn);  // @inspect same_bits
  assert(same_bits);
  const Tensor whole = at_once.blocks[0].up.weight.grad();
  assert(model.blocks[0].up.weight.grad().allclose(whole, 1e-4, 1e-7));
}

void in_buckets() {
  text("### In buckets");
  text(R"(
    `DistributedDataParallel` does it in the background. It wraps a module, and averages gradients while `backward()`
    still computes others. Parameters are small and many, and each message has its latency; so gradients are
    collected in *buckets*, and each bucket is sent when it is full. Gradients of the last layers come first, so
    buckets begin at the end.)"),
      cite("li2020");
  const int rank = distributed::get_rank(), ranks = distributed::get_world_size();
  const MemoryByCategory before = memory_by_category();
  Model model = seeded_model(static_cast<std::uint64_t>(rank));  // others on each rank: the wrapper makes them rank 0's
  const double bucket = 0.12;                                    // MiB: one block
  const distributed::DistributedDataParallel ddp(model, {.bucket_cap_mb = bucket});
  optim::AdamW optimizer(model.parameters(), {.lr = kRate});
  const accounting::Scope scope;
  loss_of(ddp, own_part_of(batch_of(0))).backward();
  const CommunicationCounters moved = scope.cost().communication;  // @inspect moved
  optimizer.step();
  const double N = static_cast<double>(model.num_parameters());
  const double formula = accounting::data_parallel_bytes(N, ranks, accounting::ZeroStage::none);  // @inspect formula
  assert(moved.calls == kLayers);                                                                 // one for each bucket
  assert(static_cast<double>(moved.sent) == formula);
  const MemoryByCategory held = memory_by_category();
  const int64_t gradients = held[MemoryCategory::gradient] - before[MemoryCategory::gradient];  // @inspect gradients
  const int64_t state = held[MemoryCategory::optimizer] - before[MemoryCategory::optimizer];    // @inspect state
  assert(gradients == 4 * model.num_parameters());
  assert(state == 8 * model.num_parameters() + 4 * 16);  // and a count of steps for each of 16 tensors
  const int64_t all = state_since(before);
  train_own_part(ddp, optimizer, 1);
  Model alone = seeded_model();
  train_by_parts(alone);
  assert(same_parameters(model, alone));  // after eight steps, bit by bit
  outcomes().push_back({"data parallel", final_loss(model), all, moved.sent});
  text(R"(
    After eight steps all ranks have the bits of one process. Each sent 1.5 times the gradients in each step, and
    each holds all of the model, its gradients and its optimizer's state. Data parallelism divides the time, not the
    memory.)");
  assert(formula == 1.5 * 4 * N);
}

void several_batches_for_one_step() {
  text("### Several batches for one step");
  text(R"(
    With accumulated gradients, an all-reduce after each batch is wasted: the sum is all that counts. Within
    `no_sync()` gradients only add up; the first `backward()` after it averages the sums.)");
  Model model = seeded_model();
  const distributed::DistributedDataParallel ddp(model);
  const CommunicationCounters start = communication_counters();
  {
    const auto no_sync = ddp.no_sync();
    loss_of(ddp, own_part_of(batch_of(0))).backward();
  }
  const int64_t first = (communication_counters() - start).sent;  // @inspect first
  loss_of(ddp, own_part_of(batch_of(1))).backward();
  const int64_t both = (communication_counters() - start).sent;  // @inspect both
  assert(first == 0);
  assert(static_cast<double>(both) == accounting::all_reduce_bytes(4. * 132'352, 4));
  text("Two batches for the traffic of one. It is also the cheapest remedy for a slow network.");
}

void what_is_not_used() {
  text("### What is not used");
  text(R"(
    A bucket that never gets full is never sent. If a parameter takes no part in a forward pass, its gradient does
    not come, and if that happens on one rank only, the others wait. So the wrapper refuses it on the spot:)");
  Model model = seeded_model();
  const Batch own = own_part_of(batch_of(0));
  const auto without_the_last = [&](const Model& whole) {  // @stepover
    return mse_loss(whole.blocks[2](whole.blocks[1](whole.blocks[0](own.x))), own.target);
  };
  std::string refusal;
  {
    const distributed::DistributedDataParallel ddp(model);
    const Tensor loss = ddp.forward(without_the_last);
    refusal = error_of([&] { loss.backward(); });  // @stepover @inspect refusal
  }
  assert(refusal.find("gave these parameters no gradient: blocks.3.up.weight") != std::string::npos);
  text(R"(
    Where it is meant, as in a mixture of experts, `find_unused_parameters` looks through the graph after each
    forward pass and counts what is missing as ready. That takes time, and one more all-reduce, of a flag for each
    parameter.)");
  model.zero_grad();
  const distributed::DistributedDataParallel ddp(model, {.find_unused_parameters = true});
  ddp.forward(without_the_last).backward();
  assert(!model.blocks[3].up.weight.grad().defined() && model.blocks[0].up.weight.grad().defined());
}

void parts_that_are_not_equal() {
  text("### Parts that are not equal");
  text(R"(
    The mean of means is the mean only of equal parts. Ten rows on four ranks are parts of 3, 3, 2 and 2 rows. Let
    the rows' losses be 1, 2, …, 10, with a mean of 5.5:)");
  const int rank = distributed::get_rank(), ranks = distributed::get_world_size();
  const std::vector<Tensor> parts = arange(1, 11).to(float32).split({3, 3, 2, 2});
  const Tensor own = parts[static_cast<std::size_t>(rank)];  // @inspect own
  Tensor mean_of_means = own.mean();                         // @inspect mean_of_means
  distributed::all_reduce(mean_of_means, distributed::ReduceOp::avg);
  const double share = static_cast<double>(own.numel()) * ranks / 10;
  Tensor weighted = own.mean() * share;
  distributed::all_reduce(weighted, distributed::ReduceOp::avg);  // @inspect mean_of_means weighted
  assert(mean_of_means.item<float>() == 6);
  assert(std::abs(weighted.item<float>() - 5.5) < 1e-6);
  text(R"(
    So a loss is multiplied by its number of rows, times the number of ranks, over all rows, before `backward()`. For
    language models the rows are tokens, and parts are unequal whenever sequences are padded. The other way out is to
    leave out the last, incomplete batch of an epoch.)");
  exercise("Each rank normalises its batch (batch norm). Is data parallelism still one process's training?", R"(
    No. Mean and variance are those of the rank's own rows, so the outputs depend on the others differently, and no
    averaging of gradients makes up for it. Synchronised batch norm all-reduces the two sums first. Layer norm has no
    such problem: it stays within a row.)");
}

}  // namespace
