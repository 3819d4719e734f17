#include "ops/elementwise_record.h"

#include "autograd/operation_recorder.h"
#include "device/counters.h"
#include "kernels/elementwise.h"
#include "kernels/fused_operation.h"
#include "ops/operands.h"
#include "ops/reductions.h"
#include "tensor/copy.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using kernels::Array;
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

Tensor saved_copy(const Tensor& tensor) {
  return copied("clone", tensor, tensor.dtype(), tensor.device(), result_strides(tensor));
}

bool reads(GradientReads what, Side side) {
  return what == GradientReads::both || what == (side == Side::a ? GradientReads::a : GradientReads::b);
}

/// A gradient that depends on the result's gradient only.
Tensor constant(GradientReads reads, const Tensor& grad) {
  return reads == GradientReads::pass ? grad : zeros_like(grad);
}

/// launch(the result, grad and what is read), for a result of grad's shape and dtype; or `operation`, later.
template <typename Launch, typename... Read>
Tensor computed_from(const kernels::FusedOperation& operation, const Launch& launch, const Tensor& grad,
                     const Read&... read) {
  const std::string_view name = operation.name();
  if (Tensor later = deferred(name, operation, grad.sizes(), grad.device(), grad, read...); later.defined())
    return later;
  const auto apply = [&](const auto&... in) {
    Tensor out = empty_result(name, grad.dtype(), grad.sizes(), grad.device(), in...);
    const Array arrays[] = {in.array()...};
    launch(to_array(out), std::span<const Array>(arrays));
    count_elementwise(out, in...);
    return out;
  };
  const auto operand = [&](const Tensor& tensor) {
    return Operand(tensor, grad.dtype(), grad.sizes(), grad.device());
  };
  return apply(operand(grad), operand(read)...);
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

Tensor gradient(Unary operation, const Tensor& grad, const Tensor& saved) {
  const GradientReads reads = kernels::gradient_reads(operation);
  if (!kernels::is_computed(reads)) return constant(reads, grad);
  const auto fused = kernels::FusedOperation::gradient(operation, grad.dtype());
  const auto launch = [&](const Array& out, std::span<const Array> in) {
    kernels::apply_unary_gradient(fused.name(), grad.device(), operation, grad.dtype(), grad.sizes(), out,
                                  in);
  };
  return reads == GradientReads::grad ? computed_from(fused, launch, grad)
                                      : computed_from(fused, launch, grad, saved);
}

Tensor gradient(Binary operation, Side side, const Tensor& grad, const Tensor& a, const Tensor& b) {
  const GradientReads reads = kernels::gradient_reads(operation, side);
  if (!kernels::is_computed(reads)) return constant(reads, grad);
  const auto fused = kernels::FusedOperation::gradient(operation, side, grad.dtype());
  const auto launch = [&](const Array& out, std::span<const Array> in) {
    kernels::apply_binary_gradient(fused.name(), grad.device(), operation, side, grad.dtype(), grad.sizes(),
                                   out, in);
  };
  if (reads == GradientReads::grad) return computed_from(fused, launch, grad);
  if (reads == GradientReads::both) return computed_from(fused, launch, grad, a, b);
  return computed_from(fused, launch, grad, reads == GradientReads::a ? a : b);
}

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
  gradients.add(0, [&] { return form.bring_back(gradient(operation, grad, saved.get())); });
}

void BinaryFormula::operator()(const Tensor& grad, Gradients& gradients) const {
  for (const Side side : {Side::a, Side::b}) {
    gradients.add(side == Side::a ? 0 : 1, [&] {
      const bool computes = kernels::is_computed(kernels::gradient_reads(operation, side));
      const Tensor own = computes ? gradient(operation, side, grad, a.get(), b.get())
                                  : gradient(operation, side, grad, {}, {});
      return (side == Side::a ? a_form : b_form).bring_back(own);
    });
  }
}

UnaryRecord::UnaryRecord(Unary operation, const Tensor& a, bool in_place) : a_(a), in_place_(in_place) {
  if (!autograd::records(a)) return;
  const bool reads_input = kernels::gradient_reads(operation) == GradientReads::input;
  formula_ = {operation, Saved(in_place && reads_input ? saved_copy(a) : a, reads_input), {}};
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
      formula_->a = SavedOperand(in_place ? saved_copy(a) : a);
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
    return record_result(name, out, in_place_, {operand_tensor(a_), operand_tensor(b_)}, NoDerivative{name});
  formula_->a_form = OperandForm(a_, out);
  formula_->b_form = OperandForm(b_, out);
  record_result(name, out, in_place_, {operand_tensor(a_), operand_tensor(b_)}, std::move(*formula_));
}

template class BinaryRecord<Tensor, Tensor>;
template class BinaryRecord<Tensor, Scalar>;
template class BinaryRecord<Scalar, Tensor>;

}  // namespace lectern
