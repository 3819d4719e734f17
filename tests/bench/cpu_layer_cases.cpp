#include <memory>

#include "bench/both_ways.h"
#include "nn/batch_norm.h"
#include "nn/group_norm.h"
#include "ops/convolution.h"
#include "ops/pooling.h"

namespace lectern::bench {
namespace {

/// A batch of pictures as a residual network's first stages have them, and one of few numbers.
struct Pictures {
  std::string suffix;
  Sizes stem, stage, last;
};

const std::vector<Pictures> kPictures = {
    {"", {8, 64, 112, 112}, {8, 64, 56, 56}, {8, 512, 7, 7}},
    {"_small", {2, 8, 12, 12}, {2, 8, 12, 12}, {2, 8, 7, 7}},
};

using Call = Tensor (*)(const Tensor& x);

/// A function of x alone.
Case of_pictures(const std::string& name, const Sizes& sizes, const std::string& options, Call call,
                 bool backward) {
  return {name_of(name, backward), tensors_of(to_string(sizes) + options, backward), valued(backward, [=] {
            const Tensor x = rand(sizes);
            return Function{{x}, [=] { return call(x); }};
          })};
}

/// 3 of each length, in as many channels as come in, padded by 1.
Case convolved(const std::string& name, Sizes sizes, Sizes kernel, bool backward) {
  const std::string text = to_string(sizes) + " by " + to_string(kernel);
  return {name_of(name, backward), tensors_of(text, backward), valued(backward, [=] {
            const Tensor x = rand(sizes), weight = rand(kernel), bias = rand({kernel[0]});
            const auto convolve = kernel.size() == 3 ? conv1d : conv2d;
            return Function{{x, weight, bias}, [=] { return convolve(x, weight, bias, {.padding = {1}}); }};
          })};
}

/// By a module with weight and bias.
template <typename Module>
Case normalized(const std::string& name, const Sizes& sizes, const std::string& options,
                const std::function<std::shared_ptr<Module>()>& make, bool backward) {
  return {name_of(name, backward), tensors_of(to_string(sizes) + options, backward), valued(backward, [=] {
            const Tensor x = rand(sizes);
            const auto module = make();
            return Function{{x, module->weight, module->bias}, [=] { return (*module)(x); }};
          })};
}

void add_pools(std::vector<Case>& cases, const Pictures& pictures, bool backward) {
  const auto add = [&](const char* name, const Sizes& sizes, const char* options, Call call) {
    cases.push_back(of_pictures(name + pictures.suffix, sizes, options, call, backward));
  };
  add("max_pool2d", pictures.stem, ", 3, stride 2, padding 1",
      [](const Tensor& x) { return max_pool2d(x, {3}, {.stride = {2}, .padding = {1}}); });
  add("max_pool2d_even", pictures.stage, ", 2", [](const Tensor& x) { return max_pool2d(x, {2}); });
  add("avg_pool2d", pictures.stage, ", 2", [](const Tensor& x) { return avg_pool2d(x, {2}); });
  add("avg_pool2d_padded", pictures.stage, ", 3, stride 2, padding 1",
      [](const Tensor& x) { return avg_pool2d(x, {3}, {.stride = {2}, .padding = {1}}); });
  add("adaptive_avg_pool2d", pictures.last, " to [1, 1]",
      [](const Tensor& x) { return adaptive_avg_pool2d(x, {1}); });
  add("adaptive_avg_pool2d_3", pictures.stage, " to [3, 3]",
      [](const Tensor& x) { return adaptive_avg_pool2d(x, {3}); });
}

void add_norms(std::vector<Case>& cases, const Pictures& pictures, bool backward) {
  const Sizes& sizes = pictures.stage;
  const std::int64_t channels = sizes[1];
  for (const bool training : {true, false}) {
    const auto make = [=] {
      auto module = std::make_shared<nn::BatchNorm2d>(channels);
      module->train(training);
      return module;
    };
    cases.push_back(
        normalized<nn::BatchNorm2d>((training ? "batch_norm" : "batch_norm_eval") + pictures.suffix, sizes,
                                    training ? ", training" : ", evaluation", make, backward));
  }
  cases.push_back(normalized<nn::GroupNorm>(
      "group_norm" + pictures.suffix, sizes, ", " + std::to_string(channels / 2) + " groups",
      [=] { return std::make_shared<nn::GroupNorm>(channels / 2, channels); }, backward));
}

}  // namespace

std::vector<Case> cpu_layer_cases() {
  std::vector<Case> cases;
  for (const Pictures& pictures : kPictures) {
    const Sizes& x = pictures.stage;
    for (const bool backward : {false, true}) {
      cases.push_back(convolved("conv2d" + pictures.suffix, x, {x[1], x[1], 3, 3}, backward));
      cases.push_back(
          convolved("conv1d" + pictures.suffix, {x[0], x[1], x[2] * x[3]}, {x[1], x[1], 3}, backward));
      add_pools(cases, pictures, backward);
      add_norms(cases, pictures, backward);
    }
  }
  return cases;
}

}  // namespace lectern::bench
