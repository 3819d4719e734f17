#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/grad_mode.h"
#include "autograd/graph.h"
#include "autograd/node.h"
#include "autograd/saved.h"
#include "base/tensor_error.h"

// How an operation records its gradient:
//
//   Tensor mul(const Tensor& a, const Tensor& b) {
//     Tensor out = …;
//     if (autograd::records(a, b)) {
//       autograd::record("mul", out, {&a, &b},
//                        [a = Saved(a, b.requires_grad()), b = Saved(b, a.requires_grad())](
//                            const Tensor& grad, Gradients& gradients) {
//                          gradients.of(0, [&] { return grad * b.get(); });
//                          gradients.of(1, [&] { return grad * a.get(); });
//                        });
//     }
//     return out;
//   }
//
// A formula is written with operations: while it runs, none is recorded. It keeps what it needs in Saved,
// never as a Tensor, and must not change the gradient that it is given.

namespace lectern::autograd {

/// Whether an operation on these tensors is to be recorded.
template <typename... Tensors>
bool records(const Tensors&... inputs) {
  return is_grad_enabled() && (inputs.requires_grad() || ...);
}
bool records_any(Node::Inputs inputs);
bool records_any(const std::vector<Tensor>& inputs);

/// formula(const Tensor& grad, Gradients& gradients).
template <typename Formula>
class FormulaNode final : public Node {
 public:
  FormulaNode(std::string_view name, InputNodes inputs, Formula&& formula)
      : Node(name, next_sequence(), std::move(inputs)), formula_(std::move(formula)) {}

  void backward(const Tensor& gradient, Gradients& gradients) override {
    if (!formula_) {
      throw TensorError("backward", "the graph behind " + std::string(name()) +
                                        " was given back by the backward() before; give that one "
                                        "retain_graph = true to go through it again");
    }
    (*formula_)(gradient, gradients);
  }
  /// A formula that holds no memory stays: a cast that two graphs share serves both.
  void release() override {
    if constexpr (!std::is_trivially_destructible_v<Formula>) formula_.reset();
  }

 private:
  std::optional<Formula> formula_;
};

template <typename Formula>
std::shared_ptr<Node> make_node(std::string_view name, InputNodes inputs, Formula&& formula) {
  using Made = FormulaNode<std::remove_cvref_t<Formula>>;
  return std::make_shared<Made>(name, std::move(inputs), std::forward<Formula>(formula));
}

InputNodes nodes_of(Node::Inputs inputs);
InputNodes nodes_of(const std::vector<Tensor>& inputs);

/// `out`, a new tensor, is the result of an operation on the inputs.
template <typename Inputs = Node::Inputs, typename Formula>
void record(std::string_view name, const Tensor& out, const Inputs& inputs, Formula&& formula) {
  if (!out.is_floating_point()) return;
  Graph::set_grad_fn(out, make_node(name, nodes_of(inputs), std::forward<Formula>(formula)));
}

/// `view` looks at `base`; make_formula()(grad, gradients), where it is recorded.
template <typename MakeFormula>
Tensor record_look(std::string_view name, const Tensor& base, Tensor view, const MakeFormula& make_formula) {
  const bool recorded = is_grad_enabled();
  Graph::set_base(view, base, recorded);
  if (recorded && base.requires_grad()) record(name, view, {&base}, make_formula());
  return view;
}

/// `view` looks at `base`; make_formula()(grad), where it is recorded, gives the base's gradient.
template <typename MakeFormula>
Tensor record_view(std::string_view name, const Tensor& base, Tensor view, const MakeFormula& make_formula) {
  return record_look(name, base, std::move(view), [&] {
    return [formula = make_formula()](const Tensor& grad, Gradients& gradients) {
      gradients.of(0, [&] { return formula(grad); });
    };
  });
}

/// `view` is part(base), each of whose elements is one of the base's.
template <typename PartOf>
Tensor record_part(std::string_view name, const Tensor& base, Tensor view, const PartOf& part) {
  return record_look(name, base, std::move(view), [&] {
    return [whole = base.sizes(), part](const Tensor& grad, Gradients& gradients) {
      gradients.add_part(0, whole, grad, part);
    };
  });
}

/// Before an operation changes `tensor` in place: a TensorError when it must not, since a gradient would be
/// lost. `recorded`: another tensor, from which the new numbers are made, requires one.
void check_change(std::string_view operation, const Tensor& tensor, bool recorded = false);

/// After it has: `inputs` are what the new numbers were made from, `tensor` itself among them where they
/// depend on the old ones.
template <typename Inputs = Node::Inputs, typename Formula>
void record_change(std::string_view name, const Tensor& tensor, const Inputs& inputs, Formula&& formula) {
  Graph::change(tensor, make_node(name, nodes_of(inputs), std::forward<Formula>(formula)));
}

/// What is overwritten as a whole gets a gradient of 0, since nothing is left of its numbers. Null for a
/// view: its base's gradient has the 0.
const Tensor* overwritten(const Tensor& tensor);

/// After `tensor` was filled with numbers that were made from no tensor.
void record_fill(std::string_view name, const Tensor& tensor);

/// A new tensor, forward(), which is computed by operations that are not recorded themselves, and
/// make_formula() as its gradient.
template <typename Inputs = Node::Inputs, typename Forward, typename MakeFormula>
Tensor recorded(std::string_view name, const Inputs& inputs, const Forward& forward,
                const MakeFormula& make_formula) {
  if (!records_any(inputs)) return forward();
  const Tensor out = [&] {
    const NoGradGuard no_grad;
    return forward();
  }();
  record(name, out, inputs, make_formula());
  return out;
}

/// The same of a change in place. make_formula() is called before it, and keeps the old numbers if it needs
/// them.
template <typename Change, typename MakeFormula>
const Tensor& changed(std::string_view name, const Tensor& tensor, Node::Inputs inputs, const Change& change,
                      const MakeFormula& make_formula) {
  const bool recorded = records_any(inputs);
  check_change(name, tensor, recorded);
  if (!recorded) {
    change();
    return tensor;
  }
  auto formula = make_formula();
  {
    const NoGradGuard no_grad;
    change();
  }
  record_change(name, tensor, inputs, std::move(formula));
  return tensor;
}

}  // namespace lectern::autograd
