// Lecture 2, parameters and the models that are made of them.

#include "cruncher.h"
#include "parts.h"

// The standard deviation of what a fresh matrix makes of n normal numbers.  @stepover
float spread_after(int64_t n, double scale, Generator& generator) {
  const Tensor x = randn({n}, {}, &generator);
  const Tensor w = randn({n, 512}, {}, &generator) * scale;
  return x.matmul(w).std().item();
}

void module_parameters() {
  text("## Models");
  text("### Parameters, and what they begin with");
  text(R"(
    A model is a function with numbers in it that are learned, its **parameters**. A parameter is a tensor
    that asks for a gradient, and that no operation has made.)");
  const int input_dim = 16384, output_dim = 32;
  Generator generator = Generator().manual_seed(0);
  nn::Parameter w(randn({input_dim, output_dim}, {}, &generator));  // @inspect w
  assert(w.requires_grad() && w.is_leaf());
  text("It is a tensor like any other, so that all operations take it.");
  const Tensor x = randn({input_dim}, {}, &generator);
  Tensor output = x.matmul(w);  // @inspect output @tol rel=1e-4 abs=1e-3 output
  assert(output.size(0) == output_dim);
  text(R"(
    These outputs are large. Each is a sum of 16,384 products, every one with a variance of 1, so that the sum
    has a variance of 16,384 and a standard deviation of its root, 128. Layers in a row multiply this;
    gradients grow or vanish with it, and training fails before it has begun.)");
  float spread = output.std().item();  // @inspect spread @tol rel=1e-4 spread
  assert(spread > 64 && spread < 256);
  text("What should not depend on the number of inputs is divided by its root:");
  w = nn::Parameter(randn({input_dim, output_dim}, {}, &generator) / std::sqrt(input_dim));
  output = x.matmul(w);          // @inspect output @tol rel=1e-4 abs=1e-4 output
  spread = output.std().item();  // @inspect spread @tol rel=1e-4 spread
  assert(spread > 0.5 && spread < 2);
  text("Now their standard deviation, not each output, is about 1, whatever the number of inputs:");
  std::vector<TableRow> rows;
  for (const int n : {64, 1024, 16384}) {
    const float root = std::sqrt(n);
    const float plain = spread_after(n, 1, generator);
    const float scaled = spread_after(n, 1 / root, generator);
    rows.push_back({n, root, fmt::format("{:.0f}", plain), fmt::format("{:.1f}", scaled)});
    assert(std::abs(plain / root - 1) < 0.25F);  // @tol abs=1e-4 *
    assert(std::abs(scaled - 1) < 0.25F);        // @tol abs=1e-4 *
  }
  table({"Inputs n", "√n", "Spread, normal weights", "Spread, divided by √n"}, rows);
  text("Up to a constant, this is Xavier initialisation, called after its first author's first name:"),
      link(works::xavier_initialization);
  text(R"(
    A normal distribution has tails, and of half a million numbers some lie far out. To be safe one cuts the
    tails off, at three standard deviations:)");
  const double std = 1 / std::sqrt(input_dim);
  const int beyond = (w.abs() > 3 * std).sum().item();  // @inspect beyond
  assert(beyond > 0);
  w = nn::Parameter(empty({input_dim, output_dim}));
  nn::init::trunc_normal_(w, 0, std, -3 * std, 3 * std, &generator);  // @inspect w
  assert(w.abs().max().item() <= 3 * std);
}

// How many numbers a model has to learn.  @stepover
int64_t get_num_parameters(const nn::Module& model) {
  int64_t count = 0;
  for (const Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

void custom_model() {
  text("### A model of one's own");
  text(R"(
    A **module** holds parameters, or modules that do. Here is a layer, a matrix without anything else, and a
    model that puts some of them in a row:)"),
      link<Linear>(), link<Cruncher>();
  text(R"(
    C++ does not tell a base class which members a class has. So the constructor names them, in
    `LECTERN_REGISTER`; what is left out there is no parameter to those who ask, and will not be learned.)");
  const int D = 64, num_layers = 2;
  Cruncher model(D, num_layers);  // @inspect model
  text("Its state, by names that tell the way to each tensor:");
  const StateDict state = model.state_dict();  // @inspect state
  assert(state.size() == 3);
  assert(state.at("layers.0.weight").shape() == Sizes({D, D}));
  assert(state.at("layers.1.weight").shape() == Sizes({D, D}));
  assert(state.at("final.weight").shape() == Sizes({D, 1}));
  const int64_t num_parameters = get_num_parameters(model);  // @inspect num_parameters
  assert(num_parameters == (D * D) + (D * D) + D);
  assert(num_parameters == model.num_parameters());
  text("A model is moved to where it is to compute, all of it at once. Where there is no GPU it stays.");
  const Device device = cuda::is_available() ? Device("cuda") : cpu;
  model.to(device);
  text("Then it takes data:");
  const int B = 8;  // batch size
  const Tensor x = randn({B, D}).to(device);
  const CountScope scope;
  const Tensor y = model(x);  // @inspect y
  assert(y.shape() == Sizes({B}));
  text("Forward, that took 2 · (data points) · (parameters), as it should:");
  const int64_t flops = scope.counted().flops;  // @inspect flops
  assert(flops == 2 * B * num_parameters);
}

void models() {
  module_parameters();
  custom_model();
}
