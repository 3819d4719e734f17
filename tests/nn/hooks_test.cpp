#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "nn/activations.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/linear.h"
#include "nn/made.h"
#include "nn/module_dict.h"
#include "nn/sequential.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/reductions.h"
#include "ops/torch_reference.h"

// Hooks of modules, and modules by name.

namespace lectern::nn {
namespace {

using test::expect_error;
using test::In;
using test::Out;

TEST(TorchHooks, SeeAndChangeWhatPyTorchs) {
  test::expect_as_torch({{"modules.hooked(a, b)",
                          {{2, 4, 5}, {2, 4, 3}},
                          test::kReal,
                          [](const In& in) {
                            auto module = test::made<Linear>(in[0], 5, 3);
                            Out seen;
                            module.register_forward_pre_hook(
                                [](const Module&, const Tensor& x) { return x * 2; });
                            module.register_forward_hook(
                                [](const Module&, const Tensor& x, const Tensor& y) { return y + sum(x); });
                            module.register_full_backward_hook(
                                [&](const Module&, const Tensor& of_input, const Tensor& of_output) {
                                  seen = {of_input, of_output};
                                  return of_input * 3;
                                });
                            const Tensor x = in[0].detach().clone().requires_grad_();
                            const Tensor y = module(x);
                            backward({y}, {in[1].detach()});
                            Out values{y.detach(), x.grad(), module.weight.grad()};
                            values.insert(values.end(), seen.begin(), seen.end());
                            return values;
                          },
                          32,
                          32,
                          false}});
}

TEST(Hooks, RunInOrderUntilTheyAreRemoved) {
  ReLU relu_module;
  std::string order;
  const auto note = [&](const char* what) {
    return [&order, what](const Module&, const Tensor&) {
      order += what;
      return Tensor();
    };
  };
  const auto note_output = [&](const Module& module, const Tensor& x, const Tensor& y) {
    EXPECT_EQ(&module, &relu_module);
    EXPECT_EQ(x.item<double>(), -1);
    EXPECT_EQ(y.item<double>(), 0);
    order += 'c';
    return Tensor();
  };
  const RemovableHandle first = relu_module.register_forward_pre_hook(note("a"));
  relu_module.register_forward_pre_hook(note("b"));
  const RemovableHandle last = relu_module.register_forward_hook(note_output);
  relu_module(full({}, -1.));
  EXPECT_EQ(order, "abc");
  first.remove();
  first.remove();
  relu_module(full({}, -1.));
  EXPECT_EQ(order, "abcbc");
  last.remove();
  relu_module(full({}, -1.));
  EXPECT_EQ(order, "abcbcb");
}

TEST(Hooks, OneMayRemoveItself) {
  Identity module;
  int calls = 0;
  std::optional<RemovableHandle> handle;
  handle = module.register_forward_pre_hook([&](const Module&, const Tensor&) {
    ++calls;
    handle->remove();
    return Tensor();
  });
  module(ones({2}));
  module(ones({2}));
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, AreThoseOfLayersInAChainToo) {
  Sequential model{Linear(3, 4), ReLU(), Linear(4, 2)};
  std::vector<Sizes> shapes;
  for (Module* const child : model.children()) {
    child->register_forward_hook([&](const Module&, const Tensor&, const Tensor& y) {
      shapes.push_back(y.sizes());
      return Tensor();
    });
  }
  int backwards = 0;
  model.register_full_backward_hook([&](const Module&, const Tensor& of_input, const Tensor& of_output) {
    ++backwards;
    EXPECT_FALSE(of_input.defined());  // the input has no gradient
    EXPECT_EQ(of_output.sizes(), (Sizes{5, 2}));
    return Tensor();
  });
  model(ones({5, 3})).sum().backward();
  EXPECT_EQ(shapes, (std::vector<Sizes>{{5, 4}, {5, 4}, {5, 2}}));
  EXPECT_EQ(backwards, 1);
  EXPECT_TRUE(model.parameters()[0].grad().defined());
}

TEST(Hooks, AGradientThatNothingNeedsIsNotReplaced) {
  Embedding module(4, 3);
  module.register_full_backward_hook([](const Module&, const Tensor&, const Tensor& grad) { return grad; });
  const Tensor out = module(tensor({1, 2}));
  EXPECT_PROBLEM(out.sum().backward(), "a hook replaced the gradient of an input that requires none");
}

TEST(Hooks, AreQuietWithoutGradients) {
  Linear module(3, 2);
  module.register_full_backward_hook([](const Module&, const Tensor&, const Tensor&) -> Tensor {
    ADD_FAILURE() << "there is no gradient";
    return {};
  });
  const NoGradGuard no_grad;
  EXPECT_FALSE(module(ones({3})).requires_grad());
}

TEST(Hooks, GoWithTheModule) {
  auto module = std::make_unique<Linear>(3, 2);
  const Module* seen = nullptr;
  const RemovableHandle handle =
      module->register_full_backward_hook([&](const Module& of, const Tensor&, const Tensor&) {
        seen = &of;
        return Tensor();
      });
  const Tensor x = ones({3}, {.requires_grad = true});
  Linear moved = std::move(*module);
  module.reset();
  moved(x).sum().backward();
  EXPECT_EQ(seen, &moved);
  seen = nullptr;
  const Tensor late = [&] {
    const Linear gone = std::move(moved);
    return gone(x).sum();
  }();
  x.mutable_grad() = Tensor();
  late.backward();
  EXPECT_EQ(seen, nullptr);
  EXPECT_TRUE(x.grad().defined());
  handle.remove();  // of nothing any more
}

TEST(Hooks, AnAuthorsModuleHasThem) {
  struct Doubled : Module {
    Tensor operator()(const Tensor& x) const {
      return hooked(x, [](const Tensor& in) { return in * 2; });
    }
  };
  Doubled module;
  module.register_forward_hook([](const Module&, const Tensor& x, const Tensor& y) { return x + y; });
  EXPECT_TRUE(module(ones({2})).equal(full({2}, 3.)));
}

TEST(ModuleDict, HoldsModulesByName) {
  ModuleDict<Module> dict;
  EXPECT_TRUE(dict.empty());
  dict.insert("policy", Linear(2, 3));
  dict.insert("drop", Dropout()).eval();
  ModuleDict<Module> moved = std::move(dict);
  EXPECT_EQ(moved.size(), 2);
  EXPECT_EQ(moved.keys(), (std::vector<std::string>{"policy", "drop"}));
  EXPECT_TRUE(moved.contains("drop"));
  EXPECT_FALSE(moved.contains("value"));
  EXPECT_FALSE(moved["drop"].is_training());
  std::vector<std::string> names;
  const StateDict state = moved.state_dict();
  for (const auto& [name, value] : state) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"policy.weight", "policy.bias"}));
  std::string printed;
  const ModuleDict<Module>& constant = moved;
  for (const auto& [name, module] : constant) printed += name + "=" + module->name() + " ";
  for (const auto& [name, module] : moved) module->train();
  EXPECT_EQ(printed, "policy=Linear drop=Dropout ");
  EXPECT_TRUE(constant["drop"].is_training());
  EXPECT_EQ(to_string(moved),
            "ModuleDict(\n"
            "  (policy): Linear(in_features=2, out_features=3, bias=True)\n"
            "  (drop): Dropout(p=0.5, inplace=False)\n"
            ")");
  expect_error([&] { moved["value"]; }, "ModuleDict: the name must be one of policy, drop, not value");
  expect_error([&] { moved.insert("drop", Dropout()); }, "ModuleDict: there is already a member named drop");
  expect_error([&] { moved.insert("a.b", Dropout()); },
               "ModuleDict: the name of a member must not have a dot: a.b");
}

}  // namespace
}  // namespace lectern::nn
