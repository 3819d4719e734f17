// Lecture 7, the layers divided among the ranks.

#include "figures.h"
#include "model.h"

namespace {

void one_after_the_other(), two_orders(), four_stages(), what_stages_send();

}  // namespace

void divided_layers() {
  text("## The layers divided");
  text(R"(
    The last division needs the least traffic: rank $r$ has the $r$-th block. Activations go forward from rank to
    rank, their gradients back: a **pipeline**.)");
  one_after_the_other();
  two_orders();
  four_stages();
  what_stages_send();
}

namespace {

using accounting::PipelineOrder;

void one_after_the_other() {
  text("### The bubble");
  text(R"(
    With one batch, three of four ranks would always wait. So the batch is cut into $m$ *microbatches*, which follow
    each other through the $p$ stages. At the beginning the pipeline fills, at the end it drains; this share of the
    time, the *bubble*, is idle:)"),
      cite("huang2019");
  text(R"($$\frac{p - 1}{m + p - 1}$$)");
  const double with_1 = accounting::pipeline_bubble(4, 1);    // @inspect with_1
  const double with_8 = accounting::pipeline_bubble(4, 8);    // @inspect with_8
  const double with_32 = accounting::pipeline_bubble(4, 32);  // @inspect with_32
  assert(with_1 == 0.75);
  assert(std::lround(100 * with_8) == 27 && std::lround(100 * with_32) == 9);
}

void two_orders() {
  text("### Two orders");
  text(R"(
    GPipe does all forward passes, then all backward passes. But a microbatch's activations are kept from its forward
    to its backward pass, so every stage keeps those of all $m$. **1F1B** does a backward pass as soon as there is
    one to do, and then a forward pass in turn. It keeps at most as many as there are stages to the end.)"),
      cite("narayanan2019"), cite("narayanan2021");
  const int64_t m = 8;
  const Timetable gpipe = timetable(PipelineOrder::gpipe, 4, m, 1, 2);          // @stepover
  const Timetable in_turn = timetable(PipelineOrder::one_f_one_b, 4, m, 1, 2);  // @stepover
  image(timetables({{"GPipe", gpipe}, {"1F1B", in_turn}}),
        {.alt = "Two timetables of four stages and eight microbatches. In GPipe, the eight forward passes move down "
                "the stages, and after the last the eight "
                "backward passes move up. In 1F1B, each stage begins with a few forward passes, then alternates. Both "
                "leave the same triangles of idle "
                "time at their beginning and end.",
         .caption = "Forward passes in blue, backward passes, twice as long, in orange. The idle time is the same."});
  assert(std::abs(gpipe.waiting - accounting::pipeline_bubble(4, m)) < 1e-12);
  assert(std::abs(in_turn.waiting - gpipe.waiting) < 1e-12);
  assert((gpipe.most_kept == std::vector<int64_t>{8, 8, 8, 8}));
  assert((in_turn.most_kept == std::vector<int64_t>{4, 3, 2, 1}));
  // @stepover
  calculator("A pipeline's step", pipeline_inputs(), pipeline_step, {pipeline_presets()});
}

// The step of a pipeline, and what it kept and sent.
struct PipelineRun {
  double kept_bytes = 0;  // activations, above those of the first microbatch
  double one_bytes = 0;   // of a microbatch, in GPipe's order
  int64_t moved = 0;      // sent and received
};

// A step with each order, of which the first also tells the next stage the shapes of its activations.  @stepover
PipelineRun run_pipeline(PipelineOrder order, const Block& own, int64_t microbatches, const Batch& batch) {
  std::vector<double> during;
  const distributed::PipelineStage stage([&](const Tensor& x) {
    Tensor y = own(x);
    during.push_back(static_cast<double>(memory_by_category()[MemoryCategory::activation]));
    return y;
  });
  const auto loss = [](const Tensor& y, const Tensor& target) { return mse_loss(y, target); };
  std::unique_ptr<distributed::PipelineSchedule> schedule;
  if (order == PipelineOrder::gpipe)
    schedule = std::make_unique<distributed::ScheduleGPipe>(stage, microbatches, loss);
  else
    schedule = std::make_unique<distributed::Schedule1F1B>(stage, microbatches, loss);
  schedule->step(batch.x, batch.target);
  during.clear();
  for (const Tensor& parameter : own.parameters()) parameter.mutable_grad() = Tensor();
  const CommunicationCounters before = communication_counters();
  schedule->step(batch.x, batch.target);
  const CommunicationCounters moved = communication_counters() - before;
  return {*std::max_element(during.begin(), during.end()) - during[0], during[1] - during[0],
          moved.sent + moved.received};
}

// The blocks of all ranks in one model.  @stepover
Model whole_of(const Block& own) {
  Model whole;
  for (int r = 0; r < distributed::get_world_size(); ++r) {
    Block& block = whole.blocks[static_cast<std::size_t>(r)];
    if (r == distributed::get_rank()) block.load_state_dict(own.state_dict());
    for (const Tensor& parameter : block.parameters()) distributed::broadcast(parameter, r);
  }
  return whole;
}

void train_by_stages() {
  text("And training, by 1F1B:");
  const MemoryByCategory before = memory_by_category();
  Block own = std::move(seeded_model().blocks[static_cast<std::size_t>(distributed::get_rank())]);
  optim::AdamW optimizer(own.parameters(), {.lr = kRate});
  const distributed::PipelineStage stage(own);
  const auto loss = [](const Tensor& y, const Tensor& target) { return mse_loss(y, target); };  // @stepover
  distributed::Schedule1F1B schedule(stage, 8, loss);
  const auto step = [&](int64_t number) {  // @stepover
    const Batch rows = batch_of(number);
    schedule.step(rows.x, rows.target);
    optimizer.step();
  };
  step(0);  // in which stages also tell each other shapes @stepover
  optimizer.zero_grad();
  const CommunicationCounters start = communication_counters();
  step(1);                                                       // @stepover
  const int64_t sent = (communication_counters() - start).sent;  // @inspect sent
  const int64_t state = state_since(before);                     // @inspect state
  for (int64_t number = 2; number < kSteps; ++number) {          // @stepover
    optimizer.zero_grad();
    step(number);
  }
  assert(state == 16 * own.num_parameters() + 4 * 4);  // a fourth of the model, and counts of steps
  const double reached = final_loss(whole_of(own));    // @inspect reached
  assert(std::abs(reached - outcomes().front().loss) < 1e-3);
  outcomes().push_back({"pipeline, 1F1B", reached, state, sent});
}

void four_stages() {
  text("### Four stages");
  text(R"(
    Each rank makes the model and keeps its own block. Stage 0 reads the rows, stage 3 has the loss. After a step,
    the gradients of the block should be those of one process that computes the microbatches one after the other,
    each loss weighted by its share of the rows.)");
  const int rank = distributed::get_rank();
  const int64_t m = 8;
  const Batch batch = batch_of(0);
  const auto number = static_cast<std::size_t>(rank);
  Block own = std::move(seeded_model().blocks[number]);
  Model alone = seeded_model();
  backward_by_parts(alone, batch, m);
  const PipelineRun gpipe = run_pipeline(PipelineOrder::gpipe, own, m, batch);  // @inspect gpipe
  assert(own.up.weight.grad().allclose(alone.blocks[number].up.weight.grad(), 1e-5, 1e-8));
  const PipelineRun in_turn = run_pipeline(PipelineOrder::one_f_one_b, own, m, batch);  // @inspect in_turn
  assert(same_gradients(own, alone.blocks[number]));
  text(R"(
    So they are, bit by bit. What a stage keeps beyond one microbatch is measured after each forward pass; in units
    of what one microbatch takes it is the formula:)");
  const double in_flight =
      accounting::pipeline_microbatches_in_flight(rank, 4, m, PipelineOrder::one_f_one_b);  // @inspect in_flight
  assert(gpipe.kept_bytes == (m - 1) * gpipe.one_bytes);
  assert(in_turn.kept_bytes == (in_flight - 1) * gpipe.one_bytes);
  const double boundary = accounting::pipeline_bytes({.width = kWidth}, kRows, 1, 4);  // @inspect boundary
  const int boundaries = rank == 0 || rank == 3 ? 1 : 2;
  assert(static_cast<double>(gpipe.moved) == boundaries * boundary && in_turn.moved == gpipe.moved);
  train_by_stages();
}

void what_stages_send() {
  text("### What stages send");
  text(R"(
    A boundary carries the activations once forward and their gradients once backward, however many microbatches
    there are. Beside the 38 GB of tensor parallelism, for the same 4,096 tokens:)");
  const double bytes = accounting::pipeline_bytes({.width = 8192}, 1, 4096);  // @inspect bytes
  assert(std::lround(bytes / 1e6) == 134);
  text(R"(
    134 MB, a small part even of a slow link. What a pipeline costs is the bubble, and that everything has to be cut
    into stages that take equally long: the slowest sets the pace. Embedding and head make that difficult.)");
  exercise("Eight stages should wait at most 10 % of the time. How many microbatches does that take?",
           "$7 / (m + 7) \\le 0.1$, so $m \\ge 63$. With fewer, give each GPU several short pieces of the model "
           "(*interleaving*): with $v$ pieces each, $(p-1)/v$ takes the place of $p-1$.");
  assert(accounting::pipeline_bubble(8, 63) == 0.1 && accounting::pipeline_bubble(8, 62) > 0.1);
}

}  // namespace
