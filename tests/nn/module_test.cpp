#include "nn/module.h"

#include <sstream>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "nn/activations.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/gpt.h"
#include "nn/linear.h"
#include "nn/module_list.h"
#include "nn/normalization.h"
#include "nn/sequential.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

using test::expect_error;

/// As an author writes it.
struct Cruncher : Module {
  ModuleList<Linear> layers;
  Linear final;

  Cruncher(std::int64_t dim, std::int64_t num_layers) : layers(num_layers, dim, dim), final(dim, 1) {
    LECTERN_REGISTER(layers, final);
  }

  Tensor operator()(Tensor x) const {
    for (const Linear& layer : layers) x = layer(x);
    return final(x);
  }
};

/// With something of each kind.
struct Scaled : Module {
  Parameter scale{ones({3})};
  Tensor offset = arange(3);
  Tensor steps;
  Tensor hidden;
  Linear inner{3, 2};
  Module* outside = nullptr;

  Scaled() {
    LECTERN_REGISTER(scale, offset, inner);
    steps = register_buffer("steps", zeros({}), false);
    hidden = register_parameter("hidden", Parameter(zeros({2}), false));
    outside = &register_module("outside", std::make_shared<Linear>(2, 1));
  }
};

template <typename T>
std::vector<std::string> names(const std::vector<std::pair<std::string, T>>& named) {
  std::vector<std::string> names;
  names.reserve(named.size());
  for (const auto& [name, value] : named) names.push_back(name);
  return names;
}

std::vector<std::string> names(const StateDict& state) {
  return names(std::vector<StateDict::Entry>(state.begin(), state.end()));
}

using Names = std::vector<std::string>;

TEST(Module, KnowsWhatIsRegistered) {
  const Cruncher model(4, 2);
  EXPECT_EQ(names(model.named_parameters()), (Names{"layers.0.weight", "layers.0.bias", "layers.1.weight",
                                                    "layers.1.bias", "final.weight", "final.bias"}));
  EXPECT_EQ(names(model.named_modules()), (Names{"", "layers", "layers.0", "layers.1", "final"}));
  EXPECT_EQ(names(model.named_children()), (Names{"layers", "final"}));
  EXPECT_EQ(model.num_parameters(), 2 * (16 + 4) + 4 + 1);
  EXPECT_TRUE(model.parameters()[4].is_same(model.final.weight));
  EXPECT_EQ(model(randn({8, 4})).sizes(), (Sizes{8, 1}));
}

TEST(Module, ListsParametersThenBuffersThenModules) {
  Scaled model;
  EXPECT_EQ(names(model.named_parameters()),
            (Names{"scale", "hidden", "inner.weight", "inner.bias", "outside.weight", "outside.bias"}));
  EXPECT_EQ(names(model.named_buffers()), (Names{"offset", "steps"}));
  EXPECT_EQ(names(model.state_dict()), (Names{"scale", "hidden", "offset", "inner.weight", "inner.bias",
                                              "outside.weight", "outside.bias"}));
  EXPECT_EQ(model.children(), (std::vector<Module*>{&model.inner, model.outside}));
  EXPECT_FALSE(model.hidden.requires_grad());
}

TEST(Module, AParameterIsALeafOverItsNumbers) {
  const Tensor made = ones({2}, {.requires_grad = true}) * 3;
  const Parameter parameter(made);
  EXPECT_TRUE(parameter.is_leaf());
  EXPECT_TRUE(parameter.requires_grad());
  EXPECT_EQ(parameter.storage(), made.storage());
  EXPECT_FALSE(Parameter().defined());
  expect_error([] { Parameter(arange(3)); }, "requires_grad_: dtype must be floating, not int64");
  EXPECT_EQ(Parameter(arange(3), false).dtype(), int64);
}

TEST(Module, MembersMoveWithIt) {
  Scaled made;
  Scaled model = std::move(made);
  EXPECT_TRUE(model.named_parameters()[2].second.is_same(model.inner.weight));
  EXPECT_EQ(model.children(), (std::vector<Module*>{&model.inner, model.outside}));
  model.scale = Parameter(zeros({3}));
  EXPECT_TRUE(model.parameters()[0].is_same(model.scale));
  EXPECT_TRUE(made.parameters().empty());  // NOLINT(bugprone-use-after-move): nothing is left there

  model = Scaled();
  EXPECT_TRUE(model.scale.equal(ones({3})));
  EXPECT_EQ(model.children(), (std::vector<Module*>{&model.inner, model.outside}));

  Cruncher cruncher = [] {
    Cruncher first(4, 2), second(4, 3);
    return is_grad_enabled() ? std::move(second) : std::move(first);
  }();
  EXPECT_EQ(cruncher.layers.size(), 3);
  EXPECT_EQ(cruncher.named_modules()[1].second, &cruncher.layers);
  EXPECT_EQ(cruncher.named_modules()[3].second, &cruncher.layers[1]);
}

TEST(Module, AMemberCanBeReplaced) {
  Cruncher model(4, 1);
  model.final = Linear(4, 3);
  model.layers = ModuleList<Linear>(3, 4, 4);
  EXPECT_EQ(model.named_modules().size(), 6);
  EXPECT_TRUE(model.parameters()[6].is_same(model.final.weight));
  EXPECT_EQ(model(zeros({2, 4})).sizes(), (Sizes{2, 3}));
}

template <typename Norm>
struct Normed : Module {
  Norm norm;
  Linear linear;
  explicit Normed(std::int64_t dim) : norm(dim), linear(dim, dim) { LECTERN_REGISTER(norm, linear); }
};

TEST(Module, CanBeATemplate) {
  EXPECT_EQ(names(Normed<RMSNorm>(3).named_parameters()),
            (Names{"norm.weight", "linear.weight", "linear.bias"}));
  EXPECT_EQ(Normed<RMSNorm>(3).name(), "Normed");
}

TEST(Module, WhatIsSharedIsListedOnce) {
  struct Tied : Module {
    Embedding embedding{5, 3};
    Linear head{embedding.weight};
    Tied() { LECTERN_REGISTER(embedding, head); }
  };
  Tied model;
  EXPECT_EQ(names(model.named_parameters()), (Names{"embedding.weight"}));
  EXPECT_EQ(names(model.state_dict()), (Names{"embedding.weight", "head.weight"}));
  EXPECT_EQ(model.num_parameters(), 15);

  struct Twice : Module {
    Twice() {
      const auto layer = std::make_shared<Linear>(2, 2);
      register_module("a", layer);
      register_module("b", layer);
    }
  };
  Twice twice;
  EXPECT_EQ(names(twice.named_parameters()), (Names{"a.weight", "a.bias"}));
  EXPECT_EQ(names(twice.named_modules()), (Names{"", "a"}));
  EXPECT_EQ(names(twice.state_dict()), (Names{"a.weight", "a.bias", "b.weight", "b.bias"}));
}

TEST(Module, ALaterMemberCanBeTied) {
  Linear first(3, 3), second(3, 3);
  second.weight = first.weight;
  EXPECT_TRUE(second.parameters()[0].is_same(first.weight));
}

TEST(Module, RefusesNames) {
  struct Named : Module {
    Linear a{1, 1};
    explicit Named(const std::string& name) {
      LECTERN_REGISTER(a);
      register_buffer(name, zeros({1}));
    }
  };
  expect_error([] { Named("a"); }, "Named: there is already a member named a");
  expect_error([] { Named(""); }, "Named: the name of a member must not be empty");
  struct Null : Module {
    Null() { register_module("a", std::shared_ptr<Linear>()); }
  };
  expect_error([] { Null(); }, "Null: the module a is null");
  expect_error([] { Named("a.b"); }, "Named: the name of a member must not have a dot: a.b");

  struct Outside : Module {
    explicit Outside(Linear& other) { LECTERN_REGISTER(other); }
  };
  Linear other(1, 1);
  expect_error([&] { Outside outside(other); },
               "Outside: other is not a member of the class; use register_module() and its like for what is "
               "stored elsewhere");
}

TEST(Module, TrainingIsKnownToAllModules) {
  Cruncher model(4, 2);
  EXPECT_TRUE(model.layers[1].is_training());
  model.eval();
  EXPECT_FALSE(model.is_training());
  EXPECT_FALSE(model.layers[1].is_training());
  model.train();
  EXPECT_TRUE(model.final.is_training());
}

TEST(Module, AppliesFromTheInside) {
  Cruncher model(4, 2);
  std::vector<Module*> visited;
  model.apply([&](Module& module) {
    visited.push_back(&module);
    if (auto* const linear = dynamic_cast<Linear*>(&module)) {
      const NoGradGuard no_grad;
      linear->weight.fill_(1);
    }
  });
  EXPECT_EQ(visited,
            (std::vector<Module*>{&model.layers[0], &model.layers[1], &model.layers, &model.final, &model}));
  EXPECT_TRUE(model.final.weight.equal(ones({1, 4})));
}

TEST(Module, GradientsAreTakenBack) {
  Linear model(3, 2);
  model(ones({4, 3})).sum().backward();
  const Tensor grad = model.weight.grad();
  EXPECT_TRUE(grad.equal(full({2, 3}, 4.f)));
  model.zero_grad(false);
  EXPECT_TRUE(grad.equal(zeros({2, 3})));
  EXPECT_TRUE(model.weight.grad().is_same(grad));
  model.zero_grad();
  EXPECT_FALSE(model.weight.grad().defined());

  model.requires_grad_(false);
  EXPECT_FALSE(model.bias.requires_grad());
  EXPECT_FALSE(model(ones({1, 3})).requires_grad());
}

TEST(Module, HandlesStayValidWhenItIsConverted) {
  Scaled model;
  const std::vector<Tensor> held = model.parameters();
  model.inner(ones({1, 3})).sum().backward();
  model.to(float64);
  EXPECT_TRUE(held[2].is_same(model.inner.weight));
  EXPECT_EQ(held[2].dtype(), float64);
  EXPECT_EQ(held[2].grad().dtype(), float64);
  EXPECT_TRUE(held[2].requires_grad());
  EXPECT_EQ(model.scale.dtype(), float64);
  EXPECT_EQ(model.steps.dtype(), float64);
  EXPECT_EQ(model.offset.dtype(), int64);  // not floating
  model.inner(ones({1, 3}, {.dtype = float64})).sum().backward();
  EXPECT_TRUE(held[2].grad().equal(full({2, 3}, 2, {.dtype = float64})));

  model.to("cpu").to(cpu, bfloat16);
  EXPECT_EQ(held[0].dtype(), bfloat16);
  expect_error([&] { model.to(int64); }, "to: the dtype of a module must be floating, not int64");
}

TEST(Module, SharedParametersStaySharedWhenItIsConverted) {
  GPT model({.vocab_size = 5, .context_length = 4, .width = 4, .layers = 1, .heads = 2});
  model.to(float64);
  EXPECT_TRUE(model.head.weight.is_same(model.token_embedding.weight));
  EXPECT_EQ(model.head.weight.dtype(), float64);
}

TEST(Module, AStateGoesToAnotherModule) {
  const Cruncher from(4, 2);
  Cruncher to(4, 2);
  const Tensor held = to.final.weight;
  const IncompatibleKeys keys = to.load_state_dict(from.state_dict());
  EXPECT_TRUE(keys.missing_keys.empty() && keys.unexpected_keys.empty());
  EXPECT_TRUE(held.equal(from.final.weight));
  EXPECT_NE(held.storage(), from.final.weight.storage());
  EXPECT_TRUE(held.is_leaf() && held.requires_grad());
  EXPECT_FALSE(from.state_dict().at("final.weight").requires_grad());
  EXPECT_EQ(from.state_dict().at("final.weight").storage(), from.final.weight.storage());

  Cruncher narrow(4, 2);
  narrow.to(bfloat16);
  narrow.load_state_dict(from.state_dict());
  EXPECT_TRUE(narrow.final.weight.equal(from.final.weight.to(bfloat16)));
}

TEST(Module, AStateThatDoesNotFitChangesNothing) {
  Cruncher model(4, 1);
  const StateDict before = {{"weight", model.final.weight.detach().clone()}};
  const StateDict state = {{"layers.0.weight", zeros({4, 3})},
                           {"layers.0.bias", zeros({4})},
                           {"final.weight", zeros({1, 4})},
                           {"final.scale", zeros({})},
                           {"head", zeros({})}};
  expect_error([&] { model.load_state_dict(state); },
               "load_state_dict: error(s) for Cruncher\n"
               "\tMissing key(s) in state_dict: \"final.bias\"\n"
               "\tUnexpected key(s) in state_dict: \"final.scale\", \"head\"\n"
               "\tsize mismatch for layers.0.weight: [4, 3] in state_dict, [4, 4] in the module");
  expect_error([&] { model.load_state_dict(state, false); },
               "load_state_dict: error(s) for Cruncher\n"
               "\tsize mismatch for layers.0.weight: [4, 3] in state_dict, [4, 4] in the module");
  EXPECT_TRUE(model.final.weight.equal(before.at("weight")));
}

TEST(Module, AStateThatIsNotStrictMayHaveMoreAndLess) {
  Cruncher model(4, 1);
  const IncompatibleKeys keys =
      model.load_state_dict({{"final.weight", zeros({1, 4})}, {"head", zeros({})}}, false);
  EXPECT_EQ(keys.missing_keys, (Names{"layers.0.weight", "layers.0.bias", "final.bias"}));
  EXPECT_EQ(keys.unexpected_keys, (Names{"head"}));
  EXPECT_TRUE(model.final.weight.equal(zeros({1, 4})));
}

TEST(Module, PrintsAsPyTorchDoes) {
  EXPECT_EQ(to_string(Linear(4, 2)), "Linear(in_features=4, out_features=2, bias=True)");
  EXPECT_EQ(to_string(Linear(4, 2, {.bias = false})), "Linear(in_features=4, out_features=2, bias=False)");
  EXPECT_EQ(to_string(Embedding(10, 3)), "Embedding(10, 3)");
  EXPECT_EQ(to_string(Embedding(10, 3, {.padding_idx = -1})), "Embedding(10, 3, padding_idx=9)");
  EXPECT_EQ(to_string(LayerNorm(4)), "LayerNorm((4,), eps=1e-05, elementwise_affine=True)");
  EXPECT_EQ(to_string(LayerNorm({2, 3}, {.eps = 0.001, .elementwise_affine = false})),
            "LayerNorm((2, 3), eps=0.001, elementwise_affine=False)");
  EXPECT_EQ(to_string(RMSNorm(4)), "RMSNorm((4,), eps=None, elementwise_affine=True)");
  EXPECT_EQ(to_string(RMSNorm(4, {.eps = 1})), "RMSNorm((4,), eps=1.0, elementwise_affine=True)");
  EXPECT_EQ(to_string(Dropout(0.1)), "Dropout(p=0.1, inplace=False)");
  EXPECT_EQ(to_string(Dropout(0)), "Dropout(p=0.0, inplace=False)");
  EXPECT_EQ(to_string(ReLU()), "ReLU()");
  EXPECT_EQ(to_string(GELU("tanh")), "GELU(approximate='tanh')");
  std::ostringstream out;
  out << Cruncher(4, 2);
  EXPECT_EQ(out.str(),
            "Cruncher(\n"
            "  (layers): ModuleList(\n"
            "    (0): Linear(in_features=4, out_features=4, bias=True)\n"
            "    (1): Linear(in_features=4, out_features=4, bias=True)\n"
            "  )\n"
            "  (final): Linear(in_features=4, out_features=1, bias=True)\n"
            ")");
}

TEST(Sequential, CallsLayersInOrder) {
  const Sequential model(Linear(4, 8), ReLU(), Sequential(Linear(8, 1, {.bias = false})));
  EXPECT_EQ(names(model.named_parameters()), (Names{"0.weight", "0.bias", "2.0.weight"}));
  const Tensor x = randn({5, 4});
  const auto& first = dynamic_cast<const Linear&>(model[0]);
  EXPECT_TRUE(model(x).equal(dynamic_cast<const Sequential&>(model[2])(relu(first(x)))));
  EXPECT_EQ(to_string(model),
            "Sequential(\n"
            "  (0): Linear(in_features=4, out_features=8, bias=True)\n"
            "  (1): ReLU()\n"
            "  (2): Sequential(\n"
            "    (0): Linear(in_features=8, out_features=1, bias=False)\n"
            "  )\n"
            ")");
  EXPECT_TRUE(Sequential()(x).is_same(x));
  expect_error([&] { model[3]; }, "Sequential: the index must be below 3, not 3");
}

TEST(Sequential, TakesAnAuthorsModules) {
  Sequential model(Cruncher(4, 2));
  auto& added = model.push_back(Cruncher(1, 1));
  EXPECT_EQ(added.named_modules()[3].second, &added.final);
  EXPECT_EQ(model.size(), 2);
  EXPECT_EQ(model(zeros({3, 4})).sizes(), (Sizes{3, 1}));
  EXPECT_EQ(names(model.named_parameters()).back(), "1.final.bias");
}

TEST(ModuleList, HoldsWhatIsOfItsType) {
  ModuleList<Module> list;
  EXPECT_TRUE(list.empty());
  list.push_back(Linear(2, 3)).eval();
  list.push_back(Dropout());
  ModuleList<Module> moved = std::move(list);
  EXPECT_EQ(moved.size(), 2);
  EXPECT_EQ(names(moved.named_parameters()), (Names{"0.weight", "0.bias"}));
  EXPECT_FALSE(moved[0].is_training());
  Names printed;
  for (const Module& module : moved) printed.push_back(module.name());
  EXPECT_EQ(printed, (Names{"Linear", "Dropout"}));
  expect_error([&] { moved[2]; }, "ModuleList: the index must be below 2, not 2");
  expect_error([] { ModuleList<Linear>(-1, 2, 2); },
               "ModuleList: the number of modules must be 0 or more, not -1");
}

struct Base : Module {
  Linear a{2, 2};
  Base() { LECTERN_REGISTER(a); }
};
struct Derived : Base {
  Linear b{2, 3};
  Derived() { LECTERN_REGISTER(b); }
};

TEST(Module, MovedIntoABaseItHasNotItsMembers) {
  Derived derived;
  EXPECT_EQ(names(derived.named_parameters()), (Names{"a.weight", "a.bias", "b.weight", "b.bias"}));
  Derived moved = std::move(derived);
  EXPECT_EQ(moved.named_parameters()[2].second.sizes(), (Sizes{3, 2}));
  Base sliced = std::move(moved);
  const std::string problem =
      "Base: it was moved from an object of a derived class, whose members it lacks; return or hold the "
      "derived class itself, or a std::shared_ptr of it";
  expect_error([&] { sliced.named_parameters(); }, problem);
  expect_error([&] { sliced.state_dict(); }, problem);
  expect_error([&] { sliced.eval(); }, problem);
}

}  // namespace
}  // namespace lectern::nn
