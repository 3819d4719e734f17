#include "ops/ternary.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "ops/autocast.h"
#include "ops/compute_dtype.h"
#include "ops/elementwise.h"
#include "ops/elementwise_record.h"
#include "ops/ternary_operands.h"

namespace lectern {
namespace {

using kernels::Ternary;

/// What the operation computes in, and gives.
struct TernaryDtypes {
  Dtype common, result;
};

template <typename C>
Tensor ternary(std::string_view operation, Ternary kernel, const TernaryDtypes& dtypes, const Tensor& a,
               const Tensor& b, const C& c) {
  const Dtype common = dtypes.common;
  const auto [device, sizes] = result_place(operation, a, b, c);
  const Operand first(a, common, sizes, device);
  const Operand second(b, common, sizes, device);
  const Operand third(c, common, sizes, device);
  Tensor out = empty_result(operation, dtypes.result, sizes, device, first, second, third);
  compute_ternary(operation, kernel, common, out, first, second, third);
  return out;
}

/// self = kernel(self, b, c).
template <typename C>
void change_by_two(std::string_view operation, Ternary kernel, const TernaryDtypes& dtypes,
                   const Tensor& self, const Tensor& b, const C& c) {
  const Dtype common = dtypes.common;
  const Tensor other = fitting(operation, self, b);
  const auto& last = fitting(operation, self, c);
  check_in_place(operation, dtypes.result, self);
  const auto operand = [&](const auto& in) { return Operand(in, common, self.sizes(), self.device()); };
  compute_ternary(operation, kernel, common, self, operand(self), operand(other), operand(last));
  self.storage().bump_version();
}

template <typename Weight>
void check_lerp(std::string_view operation, const Tensor& start, const Tensor& end, const Weight& weight) {
  check_floating(operation, start.dtype());
  const auto check_argument = [&](std::string_view argument, Dtype dtype) {
    if (dtype == start.dtype()) return;
    throw TensorError(operation, "the dtype of " + std::string(argument),
                      "that of the start, " + std::string(name(start.dtype())) + "; convert with to()",
                      name(dtype));
  };
  check_argument("the end", end.dtype());
  if constexpr (std::is_same_v<Weight, Tensor>) check_argument("the weight", weight.dtype());
}

/// The gradients of lerp(). `before` is the start, also where it was overwritten.
template <typename Weight>
auto lerp_formula(const Tensor& out, const Tensor& before, const Tensor& end, const Weight& weight) {
  bool learned = false;
  if constexpr (std::is_same_v<Weight, Tensor>) learned = weight.requires_grad();
  return [start = Saved(before, learned), to = Saved(end, learned), by = SavedOperand(weight),
          start_form = OperandForm(before, out), end_form = OperandForm(end, out),
          weight_form = OperandForm(weight, out)](const Tensor& grad, Gradients& gradients) {
    gradients.add(0, [&] { return start_form.bring_back((grad * (1 - by.get())).to(grad.dtype())); });
    gradients.add(1, [&] { return end_form.bring_back((grad * by.get()).to(grad.dtype())); });
    gradients.add(2, [&] { return weight_form.bring_back(grad * (to.get() - start.get())); });
  };
}

template <typename Weight>
Tensor interpolated(const Tensor& start, const Tensor& end, const Weight& weight) {
  check_lerp("lerp", start, end, weight);
  return autograd::recorded(
      "lerp", {&start, &end, operand_tensor(weight)},
      [&] {
        return ternary("lerp", Ternary::lerp, {start.dtype(), start.dtype()}, start, end, weight);
      },
      [&](const Tensor& out) { return lerp_formula(out, start, end, weight); });
}

template <typename Weight>
const Tensor& interpolate(const Tensor& self, const Tensor& end, const Weight& weight) {
  check_lerp("lerp_", self, end, weight);
  return autograd::changed(
      "lerp_", self, {&self, &end, operand_tensor(weight)},
      [&] {
        change_by_two("lerp_", Ternary::lerp, {self.dtype(), self.dtype()}, self, end, weight);
      },
      [&] {
        bool learned = false;
        if constexpr (std::is_same_v<Weight, Tensor>) learned = weight.requires_grad();
        return lerp_formula(self, learned ? self.detach().clone() : self, end, weight);
      });
}

/// addcmul() or addcdiv() of operands of some dtypes.
struct ScaledTerm {
  ScaledTerm(std::string_view which, Ternary function, const Tensor& x, const Tensor& tensor1,
             const Tensor& tensor2, const Scalar& value)
      : operation(which), kernel(function), common(promoted_dtype(x, tensor1, tensor2)), factor(value) {
    const bool real = is_floating_point(common);
    if (kernel == Ternary::addcdiv && !tensor1.is_floating_point() && !tensor2.is_floating_point())
      throw TensorError(operation, "the dtypes of tensor1 and tensor2",
                        "one of them floating; convert with to(), or divide with div()",
                        std::string(name(tensor1.dtype())).append(" and ").append(name(tensor2.dtype())));
    if (common == bool_) throw TensorError(operation, "dtype", "a number's", "bool; convert with to() first");
    if (!real) factor = value.to_int64();
  }

  Tensor times_factor(const Tensor& x) const { return factor.to_double() == 1 ? x : x * factor; }
  /// tensor1 times the factor, unrounded.
  Tensor scaled(const Tensor& tensor1) const {
    if (factor.to_double() == 1) return tensor1;
    return tensor1.to(is_floating_point(common) ? compute_dtype(common) : common) * factor;
  }

  /// With a factor, all is rounded once at the end.
  TernaryDtypes dtypes() const {
    const bool is_scaled = factor.to_double() != 1 && is_floating_point(common);
    return {is_scaled ? compute_dtype(common) : common, common};
  }

  auto formula(const Tensor& out, const Tensor& x, const Tensor& tensor1, const Tensor& tensor2) const {
    const bool divides = kernel == Ternary::addcdiv;
    return [term = *this, divides, first = Saved(tensor1, tensor2.requires_grad()),
            second = Saved(tensor2, tensor1.requires_grad() || (divides && tensor2.requires_grad())),
            x_form = OperandForm(x, out), first_form = OperandForm(tensor1, out),
            second_form = OperandForm(tensor2, out)](const Tensor& grad, Gradients& gradients) {
      gradients.add(0, [&] { return x_form.bring_back(grad); });
      gradients.add(1, [&] {
        const Tensor by = second.get();
        return first_form.bring_back(term.times_factor(divides ? grad / by : grad * by));
      });
      gradients.add(2, [&] {
        const Tensor slope = grad * first.get();
        return second_form.bring_back(term.times_factor(divides ? -(slope / second.get().square()) : slope));
      });
    };
  }

  std::string_view operation;
  Ternary kernel;
  Dtype common;
  Scalar factor;
};

Tensor with_term(const ScaledTerm& term, const Tensor& x, const Tensor& tensor1, const Tensor& tensor2) {
  return autograd::recorded(
      term.operation, {&x, &tensor1, &tensor2},
      [&] { return ternary(term.operation, term.kernel, term.dtypes(), x, term.scaled(tensor1), tensor2); },
      [&](const Tensor& out) { return term.formula(out, x, tensor1, tensor2); });
}

const Tensor& add_term(const ScaledTerm& term, const Tensor& self, const Tensor& tensor1,
                       const Tensor& tensor2) {
  return autograd::changed(
      term.operation, self, {&self, &tensor1, &tensor2},
      [&] { change_by_two(term.operation, term.kernel, term.dtypes(), self, term.scaled(tensor1), tensor2); },
      [&] { return term.formula(self, self, tensor1, tensor2); });
}

}  // namespace

Tensor lerp(const Tensor& start, const Tensor& end, const Tensor& weight) {
  return interpolated(start, end, weight);
}
Tensor lerp(const Tensor& start, const Tensor& end, const Scalar& weight) {
  return interpolated(start, end, weight);
}

Tensor addcmul(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  if (autocasts(x))
    return autocast_to_widest([&](const auto&... in) { return addcmul(in..., value); }, x, tensor1, tensor2);
  return with_term({"addcmul", Ternary::addcmul, x, tensor1, tensor2, value}, x, tensor1, tensor2);
}

Tensor addcdiv(const Tensor& x, const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) {
  if (autocasts(x))
    return autocast_to_widest([&](const auto&... in) { return addcdiv(in..., value); }, x, tensor1, tensor2);
  return with_term({"addcdiv", Ternary::addcdiv, x, tensor1, tensor2, value}, x, tensor1, tensor2);
}

const Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) const {
  return interpolate(*this, end, weight);
}
const Tensor& Tensor::lerp_(const Tensor& end, const Scalar& weight) const {
  return interpolate(*this, end, weight);
}
const Tensor& Tensor::addcmul_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
  return add_term({"addcmul_", Ternary::addcmul, *this, tensor1, tensor2, value}, *this, tensor1, tensor2);
}
const Tensor& Tensor::addcdiv_(const Tensor& tensor1, const Tensor& tensor2, const Scalar& value) const {
  return add_term({"addcdiv_", Ternary::addcdiv, *this, tensor1, tensor2, value}, *this, tensor1, tensor2);
}

}  // namespace lectern
