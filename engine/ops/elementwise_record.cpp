#include "ops/elementwise_record.h"

#include "device/counters.h"
#include "ops/elementwise_gradients.h"
#include "ops/sum_to.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using kernels::Binary;
using kernels::GradientReads;
using kernels::Side;
using kernels::Unary;

bool wants_gradient(const Tensor& tensor) {
  return tensor.requires_grad();
}
bool wants_gradient(const Scalar&) {
  return false;
}

/// As an input of a node; a scalar is none.
const Tensor* input_of(const Tensor& tensor) {
  return &tensor;
}
const Tensor* input_of(const Scalar&) {
  return nullptr;
}

Tensor copy_of(const Tensor& tensor) {
  return copied("clone", tensor, tensor.dtype(), tensor.device(), result_strides(tensor));
}

bool reads(GradientReads what, Side side) {
  return what == GradientReads::both || what == (side == Side::a ? GradientReads::a : GradientReads::b);
}

/// `compute()`, if the row needs it.
template <typename Compute>
Tensor gradient_by(GradientReads what, const Tensor& grad, const Compute& compute) {
  if (what == GradientReads::pass) return grad;
  return kernels::is_computed(what) ? compute() : zeros_like(grad);
}

/// As in PyTorch: div() with a rounding mode has a gradient, which is 0 everywhere.
bool has_derivative(std::string_view operation) {
  return !operation.starts_with("floor_divide");
}

template <typename Formula>
void record_result(std::string_view name, const Tensor& out, bool in_place, const autograd::Inputs& inputs,
                   Formula&& formula) {
  if (in_place) {
    autograd::record_change(name, out, inputs, std::forward<Formula>(formula));
  } else {
    autograd::record(name, out, inputs, std::forward<Formula>(formula));
  }
}

struct NoDerivative {
  std::string_view operation;

  [[noreturn]] void operator()(const Tensor&, Gradients&) const {
    throw TensorError(operation, "it has no derivative; div(…, \"floor\") has one, of 0");
  }
};

}  // namespace

OperandForm::OperandForm(const Tensor& operand, const Tensor& result) {
  const bool same = operand.sizes() == result.sizes() && operand.dtype() == result.dtype() &&
                    operand.device() == result.device();
  if (!same) form_ = std::make_unique<const Form>(Form{operand.sizes(), operand.dtype(), operand.device()});
}

Tensor OperandForm::bring_back(const Tensor& gradient) const {
  return form_ == nullptr ? gradient : sum_to(gradient, form_->sizes).to(form_->device, form_->dtype);
}

Tensor SavedOperand::get() const {
  if (!scalar_) return tensor_.get();
  return uncounted([&] {
    return full({}, *scalar_, {.dtype = scalar_->is_real() ? float64 : scalar_->dtype(), .device = cpu});
  });
}

void UnaryFormula::operator()(const Tensor& grad, Gradients& gradients) const {
  gradients.add(0, [&] {
    return form.bring_back(gradient_by(kernels::gradient_reads(operation), grad,
                                       [&] { return gradient(operation, grad, saved.get()); }));
  });
}

void BinaryFormula::operator()(const Tensor& grad, Gradients& gradients) const {
  for (const Side side : {Side::a, Side::b}) {
    gradients.add(side == Side::a ? 0 : 1, [&] {
      const Tensor own = gradient_by(kernels::gradient_reads(operation, side), grad,
                                     [&] { return gradient(operation, side, grad, a.get(), b.get()); });
      return (side == Side::a ? a_form : b_form).bring_back(own);
    });
  }
}

UnaryRecord::UnaryRecord(Unary operation, const Tensor& a, bool in_place) : a_(a), in_place_(in_place) {
  if (!autograd::records(a)) return;
  const bool reads_input = kernels::gradient_reads(operation) == GradientReads::input;
  formula_ = {operation, Saved(in_place && reads_input ? copy_of(a) : a, reads_input), {}};
}

void UnaryRecord::finish(std::string_view name, const Tensor& out) {
  if (!formula_) return;
  formula_->form = OperandForm(a_, out);
  if (kernels::gradient_reads(formula_->operation) == GradientReads::output) formula_->saved = Saved(out);
  record_result(name, out, in_place_, {&a_}, std::move(*formula_));
}

template <typename A, typename B>
BinaryRecord<A, B>::BinaryRecord(Binary operation, const A& a, const B& b, bool in_place)
    : a_(a), b_(b), in_place_(in_place) {
  if (!is_grad_enabled() || !(wants_gradient(a) || wants_gradient(b))) return;
  const auto is_read = [&](Side operand) {
    return (wants_gradient(a) && reads(kernels::gradient_reads(operation, Side::a), operand)) ||
           (wants_gradient(b) && reads(kernels::gradient_reads(operation, Side::b), operand));
  };
  formula_.emplace(BinaryFormula{operation, {}, {}, {}, {}});
  if (is_read(Side::a)) {
    if constexpr (std::is_same_v<A, Tensor>) {
      formula_->a = SavedOperand(in_place ? copy_of(a) : a);
    } else {
      formula_->a = SavedOperand(a);
    }
  }
  if (is_read(Side::b)) formula_->b = SavedOperand(b);
}

template <typename A, typename B>
void BinaryRecord<A, B>::finish(std::string_view name, const Tensor& out) {
  if (!formula_ || !out.is_floating_point()) return;  // a bool result, in an integer tensor say
  if (!has_derivative(name))
    return record_result(name, out, in_place_, {input_of(a_), input_of(b_)}, NoDerivative{name});
  formula_->a_form = OperandForm(a_, out);
  formula_->b_form = OperandForm(b_, out);
  record_result(name, out, in_place_, {input_of(a_), input_of(b_)}, std::move(*formula_));
}

template class BinaryRecord<Tensor, Tensor>;
template class BinaryRecord<Tensor, Scalar>;
template class BinaryRecord<Scalar, Tensor>;

}  // namespace lectern
