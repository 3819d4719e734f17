// Lecture 7, a training that goes on with another number of ranks.

#include <memory>

#include "../shared/scratch_folder.h"
#include "distributed/objects.h"
#include "model.h"

namespace {

// Of rank 0, known to all.  @stepover
std::filesystem::path common_folder(const std::unique_ptr<ScratchFolder>& of_first) {
  return distributed::all_gather_object(of_first != nullptr ? (*of_first / "run").string() : "")[0];
}

}  // namespace

void other_numbers_of_ranks() {
  text("## Another number of ranks");
  text(R"(
    GPUs fail, and come and go. If a checkpoint could only be loaded by as many ranks as wrote it, a run would be
    tied to its first machine. So each rank writes its shards into a file of its own, and an index says which part of
    which tensor is where. Four ranks train for half of the steps, and save:)");
  const int rank = distributed::get_rank();
  const auto scratch = rank == 0 ? std::make_unique<ScratchFolder>() : nullptr;
  const std::filesystem::path folder = common_folder(scratch);
  {
    Model model = seeded_model();
    const distributed::FullyShardedDataParallel fsdp(model,
                                                     {.auto_wrap_policy = distributed::module_wrap_policy<Block>()});
    optim::AdamW optimizer(fsdp.parameters(), {.lr = kRate});
    train_own_part(fsdp, optimizer, 0, kSteps / 2);
    distributed::save_sharded(
        folder, {{"model", fsdp.sharded_state_dict()}, {"optimizer", fsdp.optimizer_state_dict(optimizer)}});
  }
  const ShardedCheckpoint checkpoint(folder);
  const std::size_t shards =
      checkpoint.index().tensors.at("model.blocks.0.up.weight").shards.size();  // @inspect shards
  assert(shards == 2);                                                          // 16,384 elements in shares of 8,272
  text("**One process** reads all of it, and ends up with the bits of a training that was never interrupted:");
  Model alone, uninterrupted = seeded_model();
  optim::AdamW of_alone(alone.parameters(), {.lr = kRate});
  alone.load_state_dict(checkpoint.state_dict("model"));
  of_alone.load_state_dict(checkpoint.state_dict("optimizer"));
  train_by_parts(alone, of_alone, kSteps / 2);
  train_by_parts(uninterrupted);
  assert(same_parameters(alone, uninterrupted));
  text(R"(
    **Two ranks** read what each of them needs. They are a group of their own, and take the batch in two parts
    instead of four: the same within rounding. Ranks 2 and 3 have left, as if their machine had failed.)");
  const distributed::Group two = distributed::new_group({0, 1});
  if (two != nullptr) {
    Model model;
    const distributed::FullyShardedDataParallel fsdp(
        model, {.process_group = two, .auto_wrap_policy = distributed::module_wrap_policy<Block>()});
    optim::AdamW optimizer(fsdp.parameters(), {.lr = kRate});
    distributed::load_sharded(checkpoint, "model", fsdp.sharded_state_dict());
    fsdp.load_optimizer_state_dict(optimizer, checkpoint);
    for (int64_t step = kSteps / 2; step < kSteps; ++step) {  // @stepover
      optimizer.zero_grad();
      loss_of(fsdp, part_of(batch_of(step), rank, 2)).backward();
      optimizer.step();
    }
    Model trained;
    trained.load_state_dict(fsdp.state_dict());
    const double difference =
        std::abs(final_loss(trained) - final_loss(uninterrupted));  // @inspect difference @volatile difference
    assert(difference < 1e-3);
  }
  distributed::barrier();  // rank 0 deletes the folder
  text(R"(
    A checkpoint is replaced at once, by its index: whatever interrupts the writing, there is the old one or the new
    one. How often should one write? If a failure comes on average every $M$ hours and writing takes $w$, an interval
    of about $\sqrt{2 w M}$ loses the least.)"),
      cite("young1974");
  const double interval = std::sqrt(2 * (1. / 60) * 8);  // hours, for a minute and eight hours @inspect interval
  assert(std::lround(60 * interval) == 31);
  text("With one minute and eight hours, that is every half hour.");
}
