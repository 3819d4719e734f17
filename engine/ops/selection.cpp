#include "ops/selection.h"

#include <limits>
#include <string>
#include <string_view>

#include "autograd/operation_recorder.h"
#include "autograd/record.h"
#include "base/tensor_error.h"
#include "kernels/elementwise.h"
#include "ops/elementwise.h"
#include "ops/elementwise_record.h"
#include "ops/ternary_operands.h"
#include "tensor/finfo.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

using kernels::Ternary;

/// The result: computed, or to be computed later.
template <typename A, typename B, typename C>
Tensor selected(std::string_view name, Ternary operation, Dtype common, const ResultPlace& place, const A& a,
                const B& b, const C& c) {
  const auto& [device, sizes] = place;
  if (Tensor later = deferred(name, {operation, common, common}, sizes, device, a, b, c); later.defined())
    return later;
  const Operand first(a, common, sizes, device);
  const Operand second(b, common, sizes, device);
  const Operand third(c, common, sizes, device);
  Tensor out = empty_result(name, common, sizes, device, first, second, third);
  compute_ternary(name, operation, common, out, first, second, third);
  return out;
}

void check_mask(std::string_view operation, std::string_view argument, const Tensor& mask) {
  if (mask.dtype() != bool_)
    throw TensorError(operation, "dtype of " + std::string(argument), "bool", name(mask.dtype()));
}

template <typename A, typename B>
Tensor choose(const Tensor& condition, const A& a, const B& b) {
  constexpr std::string_view kName = "where";
  check_mask(kName, "condition", condition);
  const Dtype common = promoted_dtype(a, b);
  const ResultPlace place = result_place(kName, condition, a, b);
  const Tensor out = selected(kName, Ternary::where, common, place, condition, a, b);
  if (autograd::records_any({operand_tensor(a), operand_tensor(b)})) {
    autograd::record(kName, out, {operand_tensor(a), operand_tensor(b)},
                     [condition = Saved(condition), a_form = OperandForm(a, out),
                      b_form = OperandForm(b, out)](const Tensor& grad, Gradients& gradients) {
                       gradients.add(0, [&] { return a_form.bring_back(where(condition.get(), grad, 0)); });
                       gradients.add(1, [&] { return b_form.bring_back(where(condition.get(), 0, grad)); });
                     });
  }
  return out;
}

template <typename Bound>
Dtype clamp_dtype(std::string_view operation, const Tensor& x, const Bound& min, const Bound& max) {
  const Dtype common = promoted_dtype(x, min, max);
  if (common == bool_) throw TensorError(operation, "dtype", "a number's", "bool; convert with to() first");
  return common;
}

[[noreturn]] void no_bounds(std::string_view operation) {
  throw TensorError(operation, "both min and max are absent; give one of them");
}

/// The inputs of clamp()'s gradients.
template <typename Bound>
struct ClampFormula {
  ClampFormula(const Tensor& out, const Tensor& operand, const Bound& low, const Bound& high)
      : x(operand), min(low), max(high), x_form(operand, out), min_form(low, out), max_form(high, out) {}

  void operator()(const Tensor& grad, Gradients& gradients) const {
    const Tensor in = x.get();
    const Bound low = autograd::unpacked(min), high = autograd::unpacked(max);
    const auto passed = [&](const Tensor& where_it_passes) { return where(where_it_passes, grad, 0); };
    gradients.add(0, [&] { return x_form.bring_back(passed(logical_and(in >= low, in <= high))); });
    if constexpr (std::is_same_v<Bound, Tensor>) {
      gradients.add(1, [&] { return min_form.bring_back(passed(logical_and(in < low, low < high))); });
      gradients.add(2, [&] { return max_form.bring_back(passed(logical_or(in > high, low > high))); });
    }
  }

  Saved x;
  std::conditional_t<std::is_same_v<Bound, Tensor>, Saved, Scalar> min, max;
  OperandForm x_form, min_form, max_form;
};

template <typename Bound>
Tensor clamped(const Tensor& x, const std::optional<Bound>& min, const std::optional<Bound>& max) {
  constexpr std::string_view kName = "clamp";
  if (!min && !max) no_bounds(kName);
  if (!max) return clamp_min(x, *min);
  if (!min) return clamp_max(x, *max);
  const Dtype common = clamp_dtype(kName, x, *min, *max);
  const ResultPlace place = result_place(kName, x, *min, *max);
  const Tensor out = selected(kName, Ternary::clamp, common, place, x, *min, *max);
  if (autograd::records_any({&x, operand_tensor(*min), operand_tensor(*max)}))
    autograd::record(kName, out, {&x, operand_tensor(*min), operand_tensor(*max)},
                     ClampFormula<Bound>(out, x, *min, *max));
  return out;
}

template <typename Bound>
const Tensor& clamp_in_place(const Tensor& self, const std::optional<Bound>& min,
                             const std::optional<Bound>& max) {
  constexpr std::string_view kName = "clamp_";
  if (!min && !max) no_bounds(kName);
  if (!max) return self.clamp_min_(*min);
  if (!min) return self.clamp_max_(*max);
  const Dtype common = clamp_dtype(kName, self, *min, *max);
  const auto& low = fitting(kName, self, *min);
  const auto& high = fitting(kName, self, *max);
  check_in_place(kName, common, self);
  const auto operand = [&](const auto& in) { return Operand(in, common, self.sizes(), self.device()); };
  return autograd::changed(
      kName, self, {&self, operand_tensor(*min), operand_tensor(*max)},
      [&] {
        if (!deferred_change({Ternary::clamp, common, common}, self, self, low, high))
          compute_ternary(kName, Ternary::clamp, common, self, operand(self), operand(low), operand(high));
        self.storage().bump_version();
      },
      [&] { return ClampFormula<Bound>(self, self.detach().clone(), *min, *max); });
}

void check_value(std::string_view operation, const Tensor& x, const Scalar& value) {
  check_in_range(operation, value, x.dtype());
}
void check_value(std::string_view operation, const Tensor&, const Tensor& value) {
  if (value.dim() != 0)
    throw TensorError(operation, "value", "a number or a tensor of no dimensions",
                      "of shape " + to_string(value.sizes()));
}

/// The gradients of masked_fill().
template <typename Value>
auto fill_formula(const Tensor& out, const Tensor& x, const Tensor& mask, const Value& value) {
  return [mask = Saved(mask), x_form = OperandForm(x, out), value_form = OperandForm(value, out)](
             const Tensor& grad, Gradients& gradients) {
    gradients.add(0, [&] { return x_form.bring_back(where(mask.get(), 0, grad)); });
    gradients.add(1, [&] { return value_form.bring_back(where(mask.get(), grad, 0)); });
  };
}

template <typename Value>
Tensor filled(const Tensor& x, const Tensor& mask, const Value& value) {
  constexpr std::string_view kName = "masked_fill";
  check_mask(kName, "mask", mask);
  check_value(kName, x, value);
  const Dtype common = x.dtype();
  const auto [device, sizes] = result_place(kName, x, mask, value);
  // Contiguous, as in PyTorch.
  Tensor out = deferred(kName, {Ternary::where, common, common}, sizes, device, mask, value, x);
  if (out.defined()) {
    out = out.alias(sizes, contiguous_strides(sizes), 0);
  } else {
    const Operand which(mask, common, sizes, device);
    const Operand fill(value, common, sizes, device);
    const Operand rest(x, common, sizes, device);
    out = empty(sizes, {.dtype = common, .device = device});
    compute_ternary(kName, Ternary::where, common, out, which, fill, rest);
  }
  if (autograd::records_any({&x, operand_tensor(value)}))
    autograd::record(kName, out, {&x, operand_tensor(value)}, fill_formula(out, x, mask, value));
  return out;
}

template <typename Value>
const Tensor& fill_in_place(const Tensor& self, const Tensor& mask, const Value& value) {
  constexpr std::string_view kName = "masked_fill_";
  check_mask(kName, "mask", mask);
  check_value(kName, self, value);
  const Tensor chosen = fitting(kName, self, mask);
  const auto& with = fitting(kName, self, value);
  check_in_place(kName, self.dtype(), self);
  const auto operand = [&](const auto& in) { return Operand(in, self.dtype(), self.sizes(), self.device()); };
  return autograd::changed(
      kName, self, {&self, operand_tensor(value)},
      [&] {
        if (!deferred_change({Ternary::where, self.dtype(), self.dtype()}, self, chosen, with, self))
          compute_ternary(kName, Ternary::where, self.dtype(), self, operand(chosen), operand(with),
                          operand(self));
        self.storage().bump_version();
      },
      [&] { return fill_formula(self, self, mask, value); });
}

/// A number beyond the largest of a dtype with infinities is infinite, as in PyTorch; masked_fill() refuses
/// it.
Scalar as_held(const Scalar& value, Dtype dtype) {
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (!std::numeric_limits<T>::has_infinity) return value;
    const ScalarElement held(value, dtype);
    return Scalar(static_cast<double>(*static_cast<const T*>(held.data())));
  });
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return choose(condition, a, b);
}
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b) {
  return choose(condition, a, b);
}
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b) {
  return choose(condition, a, b);
}
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b) {
  return choose(condition, a, b);
}

Tensor clamp(const Tensor& x, const std::optional<Scalar>& min, const std::optional<Scalar>& max) {
  return clamped(x, min, max);
}
Tensor clamp(const Tensor& x, const std::optional<Tensor>& min, const std::optional<Tensor>& max) {
  return clamped(x, min, max);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value) {
  return filled(x, mask, value);
}
Tensor masked_fill(const Tensor& x, const Tensor& mask, const Tensor& value) {
  return filled(x, mask, value);
}

Tensor nan_to_num(const Tensor& x, const Scalar& nan, const std::optional<Scalar>& posinf,
                  const std::optional<Scalar>& neginf) {
  if (!x.is_floating_point()) return x.clone();
  const FloatInfo limits = finfo(x.dtype());
  const auto held = [&](const Scalar& value) { return as_held(value, x.dtype()); };
  return x.masked_fill(isnan(x), held(nan))
      .masked_fill(isposinf(x), held(posinf.value_or(limits.max)))
      .masked_fill(isneginf(x), held(neginf.value_or(limits.min)));
}

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return lectern::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
  return lectern::where(condition, *this, other);
}
const Tensor& Tensor::clamp_(const std::optional<Scalar>& min, const std::optional<Scalar>& max) const {
  return clamp_in_place(*this, min, max);
}
const Tensor& Tensor::clamp_(const std::optional<Tensor>& min, const std::optional<Tensor>& max) const {
  return clamp_in_place(*this, min, max);
}
const Tensor& Tensor::masked_fill_(const Tensor& mask, const Scalar& value) const {
  return fill_in_place(*this, mask, value);
}
const Tensor& Tensor::masked_fill_(const Tensor& mask, const Tensor& value) const {
  return fill_in_place(*this, mask, value);
}
const Tensor& Tensor::nan_to_num_(const Scalar& nan, const std::optional<Scalar>& posinf,
                                  const std::optional<Scalar>& neginf) const {
  return copy_(nan_to_num(nan, posinf, neginf));
}

}  // namespace lectern
