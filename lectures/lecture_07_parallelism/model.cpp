// Lecture 7, the model that is trained in each way, and its data.

#include "model.h"

Block::Block() : up(kWidth, kHidden), down(kHidden, kWidth) {
  LECTERN_REGISTER(up, down);
}

// @stepover
Tensor Block::operator()(const Tensor& x) const {
  return hooked(x, [&](const Tensor& in) { return in + down(gelu(up(in))); });
}

Model::Model() : blocks(kLayers) {
  LECTERN_REGISTER(blocks);
}

// @stepover
Tensor Model::operator()(const Tensor& x) const {
  Tensor y = x;
  for (const Block& block : blocks) y = block(y);
  return y;
}

// @stepover
Model seeded_model(std::uint64_t seed) {
  manual_seed(seed);
  return Model();
}

// @stepover
Batch batch_of(int64_t step) {
  Generator of_teacher(cpu, 1), of_rows(cpu, static_cast<std::uint64_t>(100 + step));
  const Tensor teacher = randn({kWidth, kWidth}, {}, &of_teacher) / std::sqrt(static_cast<double>(kWidth));
  const Tensor x = randn({kRows, kWidth}, {}, &of_rows);
  return {x, x.matmul(teacher).sin()};
}

// @stepover
Batch part_of(const Batch& batch, int64_t part, int64_t parts) {
  const int64_t rows = batch.x.size(0) / parts;
  return {batch.x.narrow(0, part * rows, rows), batch.target.narrow(0, part * rows, rows)};
}

// @stepover
Batch own_part_of(const Batch& batch) {
  return part_of(batch, distributed::get_rank(), distributed::get_world_size());
}

// @stepover
void backward_by_parts(const Model& model, const Batch& batch, int64_t parts) {
  for (int64_t part = 0; part < parts; ++part) loss_of(model, part_of(batch, part, parts)).backward();
  for (const Tensor& parameter : model.parameters()) parameter.grad().div_(static_cast<double>(parts));
}

// @stepover
void train_by_parts(Model& model, optim::Optimizer& optimizer, int64_t from) {
  for (int64_t step = from; step < kSteps; ++step) {
    optimizer.zero_grad();
    backward_by_parts(model, batch_of(step), distributed::get_world_size());
    optimizer.step();
  }
}

// @stepover
void train_by_parts(Model& model) {
  optim::AdamW optimizer(model.parameters(), {.lr = kRate});
  train_by_parts(model, optimizer, 0);
}

// @stepover
bool same_gradients(const nn::Module& a, const nn::Module& b) {
  const std::vector<Tensor> first = a.parameters(), second = b.parameters();
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const Tensor& one, const Tensor& other) { return one.grad().equal(other.grad()); });
}

// @stepover
bool same_parameters(const nn::Module& a, const nn::Module& b) {
  const std::vector<Tensor> first = a.parameters(), second = b.parameters();
  return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                    [](const Tensor& one, const Tensor& other) { return one.equal(other); });
}

// @stepover
double final_loss(const Model& model) {
  const NoGradGuard no_grad;
  return loss_of(model, batch_of(1000)).item<double>();
}

// @stepover
std::vector<Outcome>& outcomes() {
  static std::vector<Outcome> all;
  return all;
}

// @stepover
int64_t state_since(const MemoryByCategory& before) {
  const MemoryByCategory now = memory_by_category();
  int64_t bytes = 0;
  for (const MemoryCategory part : {MemoryCategory::parameter, MemoryCategory::gradient, MemoryCategory::optimizer})
    bytes += now[part] - before[part];
  return bytes;
}

void the_model() {
  text("## One model");
  text(R"(
    What is divided from here on is always the same: four residual blocks, the feed-forward halves of a Transformer's
    layers, which learn to imitate a random function. Four blocks suit four ranks, and 256 rows of a batch do.)"),
      link(seeded_model), text("and"), link(batch_of);
  const Model model = seeded_model();
  const int64_t N = model.num_parameters();  // @inspect N
  assert(N == kLayers * (2 * kWidth * kHidden + kHidden + kWidth));
  assert(N == 132'352);
  text(R"(
    The reference is one process that takes the batch in four parts, one after the other, and the mean of their
    gradients; that is gradient accumulation, as in lecture 4. Each rank computes it for itself, to compare with. In
    bytes, as AdamW trains in float32:)");
  Model alone = seeded_model();
  const double before = final_loss(alone);  // @inspect before
  train_by_parts(alone);
  const double after = final_loss(alone);  // @inspect after
  assert(after < 0.8 * before);
  const accounting::TrainingMemory state =
      accounting::training_memory(static_cast<double>(N), accounting::OptimizerState::adam);  // @inspect state
  assert(state.total() == 16 * static_cast<double>(N));
  outcomes().push_back({"one process, by formula", after, static_cast<int64_t>(state.total()), 0});
  text(R"(
    A loss of {:.4f} after eight steps is what every division below has to reach. **A division changes where things
    are, not what is computed.**)",
       after);
}
