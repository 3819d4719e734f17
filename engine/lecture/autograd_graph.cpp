#include "lecture/autograd_graph.h"

#include <cmath>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>

#include "autograd/accumulate_grad.h"
#include "autograd/graph.h"
#include "lecture/rendering.h"
#include "tensor/elements.h"

namespace lectern {
namespace {

using autograd::Node;

constexpr std::size_t kMostNodes = 60;
constexpr std::int64_t kFewElements = 4;

std::string figure_text(double value) {
  return fmt::format("{:.4g}", value);
}

/// The element, those of a short vector, or the norm.
std::string gradient_text(const Tensor& gradient) {
  if (gradient.numel() > kFewElements || gradient.dim() > 1) {
    const kernels::Moments moments = statistics(gradient);
    const double finite = static_cast<double>(moments.finite);
    return "norm of grad " + figure_text(std::sqrt(moments.squares + finite * moments.mean * moments.mean));
  }
  std::string text;
  for (const double element : read_elements(gradient, select_all(gradient.sizes())).reals) {
    if (!text.empty()) text += ", ";
    text += figure_text(element);
  }
  return gradient.dim() == 0 ? "grad " + text : "grad [" + text + "]";
}

std::string description(const std::string& name, const Tensor& tensor) {
  if (tensor.dim() > 0) return name + " " + to_string(tensor.sizes());
  const Elements elements = read_elements(tensor, {});
  return elements.reals.empty() ? name : name + " = " + figure_text(elements.reals.front());
}

std::string with_gradient(const std::string& text, const Tensor& gradient) {
  return gradient.defined() ? text + "\n" + gradient_text(gradient) : text;
}

/// Walks from the result to the leaves, nearest first.
class GraphDrawing {
 public:
  explicit GraphDrawing(const NamedTensors& names) {
    for (const auto& [name, tensor] : names) {
      if (const auto node = tensor.requires_grad() ? autograd::Graph::node(tensor) : nullptr)
        named_.try_emplace(node.get(), with_gradient(description(name, tensor), tensor.grad()));
    }
  }

  void add(const std::shared_ptr<Node>& result) {
    number(*result);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const Node& node = *order_[at];
      drawing_.nodes.push_back({id(at), label(node)});
      for (const std::shared_ptr<Node>& input : node.inputs()) {
        if (!input) continue;
        if (order_.size() < kMostNodes || numbers_.contains(input.get()))
          drawing_.edges.push_back({id(number(*input)), id(at)});
        else
          cut_.push_back(at);
      }
    }
    if (cut_.empty()) return;
    drawing_.nodes.push_back({"earlier", "… earlier operations"});
    for (const std::size_t at : cut_) drawing_.edges.push_back({"earlier", id(at)});
  }

  rendering::Graph take() { return std::move(drawing_); }

 private:
  static std::string id(std::size_t number) { return std::to_string(number); }

  std::size_t number(const Node& node) {
    const auto [entry, is_new] = numbers_.try_emplace(&node, order_.size());
    if (is_new) order_.push_back(&node);
    return entry->second;
  }

  std::string label(const Node& node) const {
    const auto named = named_.find(&node);
    if (const auto* const leaf = dynamic_cast<const autograd::AccumulateGrad*>(&node))
      return named == named_.end() ? with_gradient("a leaf", leaf->grad) : named->second;
    const std::string operation(node.name());
    return named == named_.end() ? operation : operation + "\n" + named->second;
  }

  std::unordered_map<const Node*, std::string> named_;
  std::unordered_map<const Node*, std::size_t> numbers_;
  std::vector<const Node*> order_;
  std::vector<std::size_t> cut_;  ///< nodes with inputs that are not drawn
  rendering::Graph drawing_;
};

}  // namespace

void draw_autograd_graph(const Tensor& result, const NamedTensors& names, const Style& style) {
  if (!result.requires_grad())
    refuse(
        "graph: the tensor requires no gradient, so autograd recorded nothing; call requires_grad_() on a "
        "leaf before the computation");
  GraphDrawing drawing(names);
  drawing.add(autograd::Graph::node(result));
  const rendering::Graph recorded = drawing.take();
  Style titled = style;
  if (titled.alt.empty() && titled.caption.empty()) titled.alt = "The graph that autograd recorded";
  graph(recorded.nodes, recorded.edges, titled);
}

}  // namespace lectern
