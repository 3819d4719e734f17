#include "lecture/autograd_graph.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/hook_test.h"
#include "ops/elementwise.h"
#include "ops/reductions.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using Json = nlohmann::json;

class AutogradGraph : public test::HookTest {
 protected:
  /// The labels of the nodes, and the edges as "label -> label" with the first lines of both.
  struct Shown {
    std::vector<std::string> labels, edges;
  };
  static Shown shown() {
    const Json graph = take_shown();
    Shown shown;
    std::map<std::string, std::string> first_lines;
    for (const Json& node : graph.at("nodes")) {
      const std::string label = node.value("label", node.at("id"));
      shown.labels.push_back(label);
      first_lines[node.at("id")] = label.substr(0, label.find('\n'));
    }
    for (const Json& edge : graph.value("edges", Json::array()))
      shown.edges.push_back(first_lines.at(edge.at("from")) + " -> " + first_lines.at(edge.at("to")));
    return shown;
  }
};

TEST_F(AutogradGraph, OperationsFromTheLeavesToTheResult) {
  const Tensor w = tensor({1.0, -2.0}).requires_grad_(), x = tensor({3.0, 4.0});
  const Tensor h = w * x, loss = (h * h).sum();
  graph(loss, {{"w", w}, {"h", h}, {"x", x}, {"loss", loss}});
  const Shown before = shown();
  EXPECT_EQ(before.labels, (std::vector<std::string>{"sum\nloss = 73", "mul", "mul\nh [2]", "w [2]"}));
  EXPECT_EQ(before.edges,
            (std::vector<std::string>{"mul -> sum", "mul -> mul", "mul -> mul", "w [2] -> mul"}));
  h.retain_grad();
  loss.backward();
  graph(loss, {{"w", w}, {"h", h}});
  EXPECT_EQ(shown().labels,
            (std::vector<std::string>{"sum", "mul", "mul\nh [2]\ngrad [6, -16]", "w [2]\ngrad [18, -64]"}));
}

TEST_F(AutogradGraph, EdgesAreListedByNames) {
  const Tensor w = tensor(2.0).requires_grad_(), other = tensor(3.0).requires_grad_();
  const Tensor y = w * w * other;
  graph(y, {{"mul 2", w}, {"", other}});
  const Json recorded = take_shown();
  std::vector<std::string> edges;
  for (const Json& edge : recorded.at("edges"))
    edges.push_back(edge.at("from").get<std::string>() + " -> " + edge.at("to").get<std::string>());
  EXPECT_EQ(edges, (std::vector<std::string>{"mul 2 -> mul", "leaf -> mul", "mul 2 2 -> mul 2",
                                             "mul 2 2 -> mul 2"}));
}

TEST_F(AutogradGraph, ALeafWithoutANameAndALargeGradient) {
  const Tensor w = ones({3, 2}).requires_grad_(), b = tensor(2.0).requires_grad_();
  const Tensor y = (w * b).sum();
  y.backward();
  graph(y, {{"w", w}});
  EXPECT_EQ(shown().labels,
            (std::vector<std::string>{"sum", "mul", "w [3, 2]\nnorm of grad 4.899", "a leaf\ngrad 6"}));
  graph(w);
  EXPECT_EQ(shown().labels, (std::vector<std::string>{"a leaf\nnorm of grad 4.899"}));
}

TEST_F(AutogradGraph, OfALongChainItsEnd) {
  Tensor x = tensor(1.0).requires_grad_();
  for (int i = 0; i < 200; ++i) x = x * 1.01;
  graph(x);
  const Shown chain = shown();
  EXPECT_EQ(chain.labels.size(), 61U);
  EXPECT_EQ(chain.labels.back(), "… earlier operations");
  EXPECT_EQ(chain.edges.back(), "… earlier operations -> mul");
}

TEST_F(AutogradGraph, WithoutGradientsItIsRefused) {
  expect_refused([] { graph(tensor(1.0)); }, "requires no gradient");
}

TEST_F(AutogradGraph, ABracedListIsStillOneOfNodes) {
  graph({{"a"}, {"b"}}, {{"a", "b"}});
  EXPECT_EQ(shown().labels, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace lectern
