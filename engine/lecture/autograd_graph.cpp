#include "lecture/autograd_graph.h"

#include <cmath>
#include <memory>
#include <set>
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
        named_.try_emplace(node.get(), Named{name, with_gradient(description(name, tensor), tensor.grad())});
    }
  }

  rendering::Graph draw(const Node& result) {
    add(result);
    bool cuts = false;
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const Node& node = *order_[at];
      bool cut = false;
      for (const std::shared_ptr<Node>& input : node.inputs()) {
        if (!input) continue;
        if (order_.size() < kMostNodes || ids_.contains(input.get()))
          drawing_.edges.push_back({add(*input), ids_.at(&node)});
        else
          cut = true;
      }
      if (cut) drawing_.edges.push_back({kEarlier, ids_.at(&node)});
      cuts = cuts || cut;
    }
    if (cuts) drawing_.nodes.push_back({kEarlier});
    return std::move(drawing_);
  }

 private:
  struct Named {
    std::string name, text;
  };
  static constexpr const char* kEarlier = "… earlier operations";

  /// The id of a node, by which edges are listed where there is no picture: "w", "mul", "mul 2".
  std::string add(const Node& node) {
    const auto known = ids_.find(&node);
    if (known != ids_.end()) return known->second;
    const auto named = named_.find(&node);
    const auto* const leaf = dynamic_cast<const autograd::AccumulateGrad*>(&node);
    std::string name(node.name()), text = name;
    if (leaf != nullptr) {
      name = named == named_.end() || named->second.name.empty() ? "leaf" : named->second.name;
      text = named == named_.end() ? with_gradient("a leaf", leaf->grad) : named->second.text;
    } else if (named != named_.end()) {
      text += "\n" + named->second.text;
    }
    std::string id = name;
    for (int count = 2; !taken_.insert(id).second; ++count) id = name + " " + std::to_string(count);
    drawing_.nodes.push_back({id, text});
    order_.push_back(&node);
    return ids_.emplace(&node, id).first->second;
  }

  std::unordered_map<const Node*, Named> named_;
  std::unordered_map<const Node*, std::string> ids_;
  std::set<std::string> taken_ = {kEarlier};
  std::vector<const Node*> order_;
  rendering::Graph drawing_;
};

}  // namespace

void draw_autograd_graph(const Tensor& result, const NamedTensors& names, const Style& style) {
  if (!result.requires_grad())
    refuse(
        "graph: the tensor requires no gradient, so autograd recorded nothing; call requires_grad_() on a "
        "leaf before the computation");
  const rendering::Graph recorded = GraphDrawing(names).draw(*autograd::Graph::node(result));
  Style titled = style;
  if (titled.alt.empty() && titled.caption.empty()) titled.alt = "The graph that autograd recorded";
  graph(recorded.nodes, recorded.edges, titled);
}

}  // namespace lectern
