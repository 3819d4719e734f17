#include "lecture/training_value.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "device/counters.h"
#include "device/memory.h"
#include "lecture/fake_recorder.h"
#include "lecture/format.h"
#include "lecture/shown_value.h"
#include "lecture/tensor_value.h"
#include "nn/dropout.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "nn/module_list.h"
#include "nn/sequential.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "optim/adam.h"
#include "optim/lr_scheduler.h"
#include "optim/sgd.h"
#include "record/inspect.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using nlohmann::json;
using test::shown;

/// Fields or entries of an object by their names.
json by_name(const json& value) {
  json result = json::object();
  for (const json& pair : value[value.contains("fields") ? "fields" : "entries"])
    result[pair[0].is_string() ? pair[0].get<std::string>() : pair[0].dump()] = pair[1];
  return result;
}
std::vector<std::string> names(const json& value) {
  std::vector<std::string> result;
  for (const json& pair : value[value.contains("fields") ? "fields" : "entries"])
    result.push_back(pair[0].get<std::string>());
  return result;
}

struct Net : nn::Module {
  nn::Parameter scale{full({2}, 3.)};
  Tensor mean = zeros({2});
  nn::ModuleList<nn::Linear> layers;
  nn::Dropout dropout;
  nn::Linear final;

  explicit Net(std::int64_t size = 2)
      : layers(2, size, size), dropout(0.25), final(size, 1, {.bias = false}) {
    LECTERN_REGISTER(scale, mean, layers, dropout, final);
  }
};

TEST(TrainingValue, ModulesAreTreesOfTheirNames) {
  const Net net;
  const json value = shown(net);
  EXPECT_EQ(value["type"], "Net");
  EXPECT_EQ(names(value), (std::vector<std::string>{"scale", "mean", "layers", "dropout", "final"}));
  json fields = by_name(value);
  EXPECT_EQ(fields["scale"]["data"], json({3.0, 3.0}));
  EXPECT_EQ(fields["scale"]["requires_grad"], true);
  EXPECT_FALSE(fields["mean"].contains("requires_grad"));
  EXPECT_EQ(fields["layers"]["type"], "ModuleList");
  EXPECT_EQ(names(fields["layers"]), (std::vector<std::string>{"0", "1"}));
  const json layer = by_name(fields["layers"])["1"];
  EXPECT_EQ(layer["type"], "Linear");
  EXPECT_EQ(names(layer), (std::vector<std::string>{"weight", "bias"}));
  EXPECT_EQ(fields["dropout"], json({{"type", "Dropout"}, {"text", to_string(net.dropout)}}));
  EXPECT_EQ(names(fields["final"]), (std::vector<std::string>{"weight"}));
  EXPECT_EQ(shown(static_cast<const nn::Module&>(net))["type"], "Net");
}

TEST(TrainingValue, ATextHasModulesAsTheyArePrinted) {
  const auto markdown = [](const auto& module) {
    test::fake() = {};
    text("{}", module);
    return json::parse(test::fake().renderings.at(0))["markdown"].template get<std::string>();
  };
  const Net net;
  EXPECT_EQ(markdown(net), to_string(net));
  EXPECT_EQ(markdown(net.layers), to_string(net.layers));
  EXPECT_EQ(markdown(net.dropout), "Dropout(p=0.25, inplace=False)");
  EXPECT_EQ(markdown(static_cast<const nn::Module&>(net)), to_string(net));
}

TEST(TrainingValue, MembersOfModulesAreValues) {
  const Net net;
  EXPECT_EQ(shown(net.layers[0].weight)["shape"], json({2, 2}));
  EXPECT_EQ(shown(net.final.bias)["text"], "undefined");
  (net.scale * net.scale).sum().backward();
  EXPECT_EQ(shown(net.scale.grad())["data"], json({6.0, 6.0}));
  EXPECT_EQ(shown(nn::Sequential(nn::Linear(2, 3), nn::Dropout(0.5)))["fields"][1][0], "1");
  EXPECT_EQ(shown(nn::Sequential())["text"], "Sequential()");
}

TEST(TrainingValue, WhatIsSharedHasOneStorage) {
  nn::Linear first(2, 2);
  const nn::Sequential both(nn::Linear(first.weight), nn::Linear(first.weight));
  const json value = shown(both);
  EXPECT_EQ(value["fields"][0][1]["fields"][0][1]["storage"],
            value["fields"][1][1]["fields"][0][1]["storage"]);
}

TEST(TrainingValue, StateDictsAreMaps) {
  const Net net;
  const json value = shown(net.state_dict());
  EXPECT_EQ(value["type"], "StateDict");
  EXPECT_EQ(names(value), (std::vector<std::string>{"scale", "mean", "layers.0.weight", "layers.0.bias",
                                                    "layers.1.weight", "layers.1.bias", "final.weight"}));
  EXPECT_EQ(by_name(value)["scale"]["storage"], shown(net.scale)["storage"]);
  EXPECT_EQ(shown(StateDict())["entries"], json::array());
  const Checkpoint checkpoint{{"model", net.state_dict()}, {"rng", {}}};
  EXPECT_EQ(names(shown(checkpoint)), (std::vector<std::string>{"model", "rng"}));
}

TEST(TrainingValue, EachOfManyTensorsIsSeen) {
  StateDict state;
  for (int i = 0; i < 20; ++i) state.insert("blocks." + std::to_string(i) + ".weight", ones({64, 64}));
  const json value = shown(state);
  EXPECT_EQ(value["entries"].size(), 20U);
  EXPECT_FALSE(value.contains("size"));
  for (const json& entry : value["entries"]) EXPECT_EQ(entry[1]["shape"], json({64, 64}));
  StateDict few({{"a", ones({64, 64})}, {"b", ones({64, 64})}});
  const json corners = shown(few), whole = shown(few, ValueWriter::kUnlimited);
  for (const json& entry : corners["entries"]) EXPECT_EQ(entry[1]["data"].size(), 36U);
  for (const json& entry : whole["entries"]) EXPECT_EQ(entry[1]["data"].size(), 4096U);
}

TEST(TrainingValue, LargeModelsFitIntoAValue) {
  const nn::GPT model({.vocab_size = 50, .context_length = 8, .width = 8, .layers = 12, .heads = 2});
  EXPECT_EQ(shown(model)["type"], "GPT");
  EXPECT_GT(shown(model.state_dict())["entries"].size(), 15U);
  optim::Adam optimizer(model.parameters());
  for (const Tensor& parameter : model.parameters()) parameter.mutable_grad() = ones_like(parameter);
  optimizer.step();
  EXPECT_EQ(names(shown(optimizer)), (std::vector<std::string>{"param_groups", "state"}));
  for (const std::size_t budget : {0U, 30U, 100U, 300U, 1000U}) {
    for (const std::string& text :
         {value_text(model, budget), value_text(model.state_dict(), budget), value_text(optimizer, budget)})
      EXPECT_TRUE(json::accept(text)) << text;
  }
}

TEST(TrainingValue, OptimizersHaveGroupsAndState) {
  const Tensor a = zeros({2}).requires_grad_(), b = zeros({1}).requires_grad_();
  optim::Adam optimizer({optim::ParamGroup{{a}, {{"lr", 0.5}}}, optim::ParamGroup{{b}}});
  EXPECT_EQ(by_name(shown(optimizer))["state"]["entries"], json::array());
  b.mutable_grad() = ones({1});
  optimizer.step();
  const json value = shown(optimizer);
  EXPECT_EQ(value["type"], "Adam");
  const json groups = by_name(value)["param_groups"]["items"];
  ASSERT_EQ(groups.size(), 2U);
  json first = by_name(groups[0]), second = by_name(groups[1]);
  EXPECT_EQ(first["lr"], 0.5);
  EXPECT_EQ(second["lr"], 0.001);
  EXPECT_EQ(first["betas"]["items"], json({0.9, 0.999}));
  EXPECT_EQ(first["amsgrad"], false);
  EXPECT_EQ(first["params"]["items"], json::array({0}));
  EXPECT_EQ(second["params"]["items"], json({1}));
  const json state = by_name(value)["state"];
  ASSERT_EQ(state["entries"].size(), 1U);
  EXPECT_EQ(state["entries"][0][0], 1);
  EXPECT_EQ(by_name(state["entries"][0][1])["step"]["data"], json({1.0}));
  EXPECT_NEAR(by_name(state["entries"][0][1])["exp_avg"]["data"][0].get<double>(), 0.1, 1e-6);

  json group = by_name(shown(optimizer.param_groups()[0]));
  EXPECT_EQ(group["params"]["items"][0]["shape"], json({2}));
  EXPECT_EQ(shown(optimizer.param_groups()[0]["lr"])["value"], 0.5);
}

TEST(TrainingValue, OwnOptimizersBearTheirNames) {
  struct Halve : optim::Optimizer {
    explicit Halve(const optim::Params& params) : Optimizer(params, {{"by", 2}}) {}
    void step() override {}
  };
  const Halve optimizer({zeros({1}).requires_grad_()});
  EXPECT_EQ(shown(optimizer)["type"], "Halve");
  EXPECT_EQ(by_name(by_name(shown(optimizer))["param_groups"]["items"][0])["by"], 2);
}

TEST(TrainingValue, SchedulersHaveTheirStepAndRates) {
  optim::SGD optimizer({zeros({1}).requires_grad_()}, {.lr = 0.5});
  optim::StepLR scheduler(optimizer, 2);
  for (int i = 0; i < 3; ++i) scheduler.step();
  const json value = shown(scheduler);
  EXPECT_EQ(value["type"], "StepLR");
  EXPECT_EQ(names(value), (std::vector<std::string>{"last_epoch", "base_lrs", "last_lr"}));
  json fields = by_name(value);
  EXPECT_EQ(fields["last_epoch"], 3);
  EXPECT_EQ(fields["base_lrs"]["items"], json::array({0.5}));
  EXPECT_EQ(fields["last_lr"]["items"], json::array({0.05}));
  EXPECT_EQ(shown(static_cast<const optim::LRScheduler&>(scheduler))["type"], "LRScheduler");
}

TEST(TrainingValue, LookingCostsNothing) {
  const Net net;
  optim::SGD optimizer(net.parameters(), {.lr = 0.1, .momentum = 0.9});
  net.scale.mutable_grad() = ones({2});
  optimizer.step();
  const std::int64_t now = memory_allocated();
  reset_peak_memory_stats();
  const CountScope scope;
  value_text(net);
  value_text(net.state_dict());
  value_text(optimizer);
  EXPECT_EQ(max_memory_allocated(), now);
  EXPECT_EQ(scope.counted(), Counters{});
}

TEST(TrainingValue, InPlainPrograms) {
  const StateDict state({{"weight", tensor({1., 2.})}});
  EXPECT_EQ(readable_value(value_text(state)), "{\"weight\": float32 [2] [1.0, 2.0]}");
}

}  // namespace
}  // namespace lectern
