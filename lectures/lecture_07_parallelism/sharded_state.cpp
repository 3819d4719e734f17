// Lecture 7, the training state divided among the ranks.

#include "model.h"

namespace {

void stage_1(), stages_2_and_3(), what_is_gathered_when();

}  // namespace

void sharded_state() {
  text("## The state divided");
  text(R"(
    Data-parallel ranks all hold the same parameters, gradients and optimizer states. **ZeRO** keeps one copy of
    each, divided among them, in three stages. Lecture 4 derived what each takes; here it is done, by four processes,
    and measured.)"),
      cite("rajbhandari2020");
  stage_1();
  stages_2_and_3();
  what_is_gathered_when();
}

namespace {

using accounting::ZeroStage;

// Of parameters of the model in float32, trained by Adam.  @stepover
accounting::TrainingMemory formula_of(const Model& model, ZeroStage stage) {
  return accounting::training_memory(static_cast<double>(model.num_parameters()), accounting::OptimizerState::adam,
                                     accounting::kFloat32Training, stage, distributed::get_world_size());
}

// What has come since.  @stepover
double held_since(const MemoryByCategory& before, MemoryCategory category) {
  return static_cast<double>(memory_by_category()[category] - before[category]);
}

void stage_1() {
  text("### Stage 1: the optimizer's state");
  text(R"(
    Each rank updates a fourth of the parameters, and keeps Adam's averages for these only. Then everybody gets the
    new parameters from those who updated them: an all-gather.)");
  const int ranks = distributed::get_world_size();
  const MemoryByCategory before = memory_by_category();
  Model model = seeded_model();
  const distributed::DistributedDataParallel ddp(model);
  distributed::ZeroRedundancyOptimizer optimizer(model.parameters(), [](const optim::Params& share) {
    return std::make_unique<optim::AdamW>(share, optim::AdamWOptions{.lr = kRate});
  });  // @stepover
  const CommunicationCounters start = communication_counters();
  loss_of(ddp, own_part_of(batch_of(0))).backward();
  optimizer.step();
  const CommunicationCounters moved = communication_counters() - start;
  const accounting::TrainingMemory formula = formula_of(model, ZeroStage::optimizer);  // @inspect formula
  const double state = held_since(before, MemoryCategory::optimizer);                  // @inspect state
  assert(held_since(before, MemoryCategory::parameter) == formula.parameters);
  assert(held_since(before, MemoryCategory::gradient) == formula.gradients);
  assert(state == formula.state + 4 * 4);  // and the counts of steps of the four tensors of its share
  const double bytes = 4. * 132'352;
  const int64_t sent = moved.sent;  // @inspect sent
  assert(static_cast<double>(sent) ==
         accounting::all_reduce_bytes(bytes, ranks) + accounting::all_gather_bytes(bytes, ranks));
  text(R"(
    To the byte: a fourth of 8 bytes per parameter. The traffic is that of an all-reduce and of an all-gather, half
    as much again as without. The all-gather within the all-reduce was for nothing: a rank needs the summed gradients
    of its own share only. That is what stage 2 saves.)");
  const int64_t all = state_since(before);
  train_own_part(ddp, optimizer, 1);
  Model alone = seeded_model();
  train_by_parts(alone);
  assert(same_parameters(model, alone));
  outcomes().push_back({"ZeRO, stage 1", final_loss(model), all, sent});
}

// A model trained by FullyShardedDataParallel, its blocks gathered one by one.
struct Sharded {
  Model model;
  distributed::FullyShardedDataParallel<Model> fsdp;
  optim::AdamW optimizer;

  explicit Sharded(distributed::ShardingStrategy strategy)
      : model(seeded_model()),
        fsdp(model, {.sharding_strategy = strategy, .auto_wrap_policy = distributed::module_wrap_policy<Block>()}),
        optimizer(fsdp.parameters(), {.lr = kRate}) {}
};

void train_and_compare(distributed::ShardingStrategy strategy, ZeroStage stage, const std::string& name) {
  const MemoryByCategory before = memory_by_category();
  Sharded sharded(strategy);
  const CommunicationCounters start = communication_counters();
  loss_of(sharded.fsdp, own_part_of(batch_of(0))).backward();
  sharded.optimizer.step();
  const int64_t sent = (communication_counters() - start).sent;  // @inspect sent
  const accounting::TrainingMemory formula = formula_of(sharded.model, stage);
  const double parameters = held_since(before, MemoryCategory::parameter);  // @inspect parameters
  const double gradients = held_since(before, MemoryCategory::gradient);    // @inspect gradients
  const double state = held_since(before, MemoryCategory::optimizer);       // @inspect state
  assert(parameters == formula.parameters);
  assert(gradients == formula.gradients);
  const std::vector<Tensor> pieces = sharded.fsdp.parameters();
  const auto own = std::count_if(pieces.begin(), pieces.end(), [](const Tensor& piece) { return piece.numel() > 0; });
  assert(state == formula.state + 4 * static_cast<double>(own));  // and counts of steps
  assert(static_cast<double>(sent) == accounting::data_parallel_bytes(132'352, 4, stage));
  train_own_part(sharded.fsdp, sharded.optimizer, 1);
  Model trained, alone = seeded_model();
  trained.load_state_dict(sharded.fsdp.state_dict());
  train_by_parts(alone);
  assert(same_parameters(trained, alone));
  outcomes().push_back({name, final_loss(trained), static_cast<int64_t>(parameters + gradients + state), sent});
}

void stages_2_and_3() {
  text("### Stages 2 and 3: gradients and parameters");
  text(R"(
    In **stage 2** a block's gradients are reduce-scattered as soon as they are there, and each rank keeps its share
    of the sum. With the all-gather of the updated parameters, that is an all-reduce cut in two, with the optimizer
    in between: the traffic of plain data parallelism.)");
  train_and_compare(distributed::ShardingStrategy::shard_grad_op, ZeroStage::gradients, "ZeRO, stage 2");
  text(R"(
    In **stage 3** parameters are divided, too. Before a block runs, and again before its backward pass, its
    parameters are gathered, and afterwards freed. It is known as *fully sharded data parallel*.)"),
      cite("zhao2023");
  train_and_compare(distributed::ShardingStrategy::full_shard, ZeroStage::parameters, "ZeRO, stage 3");
  text(R"(
    A fourth of everything, and still one process's bits. The price is half as much traffic again: the gathers of the
    forward pass.)");
  const double plain = accounting::data_parallel_bytes(132'352, 4, ZeroStage::none);
  assert(accounting::data_parallel_bytes(132'352, 4, ZeroStage::gradients) == plain);
  assert(accounting::data_parallel_bytes(132'352, 4, ZeroStage::parameters) == 1.5 * plain);
}

void what_is_gathered_when() {
  text("### What is whole, and when");
  text(R"(
    The share is what a rank holds between steps. While a block runs, it is whole: so the peak is a share of
    everything, and one block. A hook looks at the memory after each block:)");
  const MemoryByCategory before = memory_by_category();
  Model model = seeded_model();
  std::vector<double> during;
  for (Block& block : model.blocks) {  // @stepover
    block.register_forward_hook([&](const nn::Module&, const Tensor&, const Tensor&) {
      during.push_back(held_since(before, MemoryCategory::parameter));
      return Tensor();
    });
  }
  const distributed::FullyShardedDataParallel fsdp(model,
                                                   {.auto_wrap_policy = distributed::module_wrap_policy<Block>()});
  loss_of(fsdp, own_part_of(batch_of(0))).backward();  // @inspect during
  const double block = 132'352 / 4;
  const double most = accounting::fully_sharded_parameter_bytes(132'352, block, 4);  // @inspect most
  assert(during == std::vector(4, most));
  text(R"(
    Outside, a block's parameters cannot be read; that would need all ranks:)");
  const std::string refusal = error_of([&] { return model.blocks[0].up.weight.sum(); });  // @stepover @inspect refusal
  assert(refusal.find("are divided among the ranks, and gathered only while it is called") != std::string::npos);
  exercise("What happens if the whole model is one unit? And if each matrix is one?", R"(
    As one unit, all parameters are gathered at once: the peak is that of stage 2, and nothing is left to compute
    while the gather runs. With a unit for each matrix, the peak is lower, and there are twice as many messages, each
    half as large, with their latencies. A Transformer's layer is the usual unit.)");
}

}  // namespace
