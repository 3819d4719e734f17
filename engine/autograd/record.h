#pragma once

#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

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
//                          gradients.add(0, [&] { return grad * b.get(); });
//                          gradients.add(1, [&] { return grad * a.get(); });
//                        });
//     }
//     return out;
//   }
//
// A formula is written with operations, which are not recorded while it runs. It stores what it needs in
// Saved, never as a Tensor, and must not change the gradient that it is given.

namespace lectern::autograd {

/// Whether an operation on these tensors is to be recorded.
template <typename... Tensors>
bool records(const Tensors&... inputs) {
  return is_grad_enabled() && (inputs.requires_grad() || ...);
}
bool records_any(const Inputs& inputs);
/// The same for a change of `tensor` in place; integers have no gradient.
inline bool records_change(const Tensor& tensor, const Inputs& inputs) {
  return tensor.is_floating_point() && records_any(inputs);
}

/// formula(const Tensor& grad, Gradients& gradients).
template <typename Formula>
class FormulaNode final : public Node {
 public:
  FormulaNode(std::string_view name, InputNodes inputs, Formula&& formula)
      : Node(name, next_sequence(), std::move(inputs)), formula_(std::move(formula)) {}

  void backward(const Tensor& gradient, Gradients& gradients) override {
    if (!formula_) {
      throw TensorError("backward", "the graph of " + std::string(name()) +
                                        " was freed by an earlier backward(); call that one with "
                                        "retain_graph = true to traverse it again");
    }
    (*formula_)(gradient, gradients);
  }
  /// A formula that holds no memory is kept: a cast shared by two graphs serves both.
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

InputNodes nodes_of(const Inputs& inputs);

/// The formula of an operation with one input, whose gradient is backward(grad, kept…); a Saved among these
/// is passed as its tensor.
template <typename Backward, typename... Kept>
auto formula(Backward backward, Kept... kept) {
  return
      [backward = std::move(backward), ... kept = std::move(kept)](const Tensor& grad, Gradients& gradients) {
        gradients.add(0, backward(grad, unpacked(kept)...));
      };
}

/// `out`, a new tensor, is the result of an operation on the inputs.
template <typename Formula>
void record(std::string_view name, const Tensor& out, const Inputs& inputs, Formula&& formula) {
  if (!out.is_floating_point()) return;
  Graph::set_grad_fn(out, make_node(name, nodes_of(inputs), std::forward<Formula>(formula)));
}

/// `view` is a view of `base`; make_formula()(grad, gradients), where it is recorded.
template <typename MakeFormula>
Tensor record_aliased(std::string_view name, const Tensor& base, Tensor view,
                      const MakeFormula& make_formula) {
  const bool recorded = is_grad_enabled();
  Graph::set_base(view, base, recorded);
  if (recorded && base.requires_grad()) record(name, view, {&base}, make_formula());
  return view;
}

/// `view` is a view of `base`; make_formula()(grad), where it is recorded, gives the base's gradient.
template <typename MakeFormula>
Tensor record_view(std::string_view name, const Tensor& base, Tensor view, const MakeFormula& make_formula) {
  return record_aliased(name, base, std::move(view), [&] {
    return [formula = make_formula()](const Tensor& grad, Gradients& gradients) {
      gradients.add(0, [&] { return formula(grad); });
    };
  });
}

/// `view` is part(base), a selection of the base's elements.
template <typename PartOf>
Tensor record_part(std::string_view name, const Tensor& base, Tensor view, const PartOf& part) {
  return record_aliased(name, base, std::move(view), [&] {
    return [whole = base.sizes(), part](const Tensor& grad, Gradients& gradients) {
      gradients.add_part(0, whole, grad, part);
    };
  });
}

/// Before `tensor` is changed in place: a TensorError when a gradient would be lost. `recorded`: another
/// tensor that the new values depend on requires one.
void check_change(std::string_view operation, const Tensor& tensor, bool recorded = false);

/// After it was: `inputs` are what the new values depend on, including `tensor` itself if they depend on the
/// old ones.
template <typename Formula>
void record_change(std::string_view name, const Tensor& tensor, const Inputs& inputs, Formula&& formula) {
  if (!tensor.is_floating_point()) return;
  Graph::change(tensor, make_node(name, nodes_of(inputs), std::forward<Formula>(formula)));
}

/// A tensor that is overwritten entirely gets a gradient of 0, since its old values are gone. Null for a
/// view: the base's gradient has the 0.
const Tensor* overwritten(const Tensor& tensor);

/// After `tensor` was filled with values that depend on no tensor.
void record_fill(std::string_view name, const Tensor& tensor);

/// forward(), a new tensor computed without recording, with make_formula(), or make_formula(the result), as
/// its gradient.
template <typename Forward, typename MakeFormula>
Tensor recorded(std::string_view name, const Inputs& inputs, const Forward& forward,
                const MakeFormula& make_formula) {
  if (!records_any(inputs)) return forward();
  const Tensor out = [&] {
    const NoGradGuard no_grad;
    return forward();
  }();
  if constexpr (std::is_invocable_v<MakeFormula, const Tensor&>) {
    record(name, out, inputs, make_formula(out));
  } else {
    record(name, out, inputs, make_formula());
  }
  return out;
}

/// The same for an in-place change. make_formula() is called first, and saves the old values if it needs
/// them.
template <typename Change, typename MakeFormula>
const Tensor& changed(std::string_view name, const Tensor& tensor, const Inputs& inputs, const Change& change,
                      const MakeFormula& make_formula) {
  const bool recorded = records_change(tensor, inputs);
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

namespace lectern {

// The names that formulas are written with.
using autograd::Gradients;
using autograd::Saved;

}  // namespace lectern
