#include "ops/elementwise.h"

#include <optional>
#include <string>
#include <string_view>

#include "autograd/operation_recorder.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/elementwise.h"
#include "ops/autocast.h"
#include "ops/elementwise_record.h"
#include "ops/operands.h"
#include "tensor/array.h"

namespace lectern {
namespace {

using kernels::Binary;
using kernels::DtypeRule;
using kernels::Unary;

template <typename Kernel>
struct Operation {
  std::string_view name;
  Kernel kernel;
  DtypeRule rule;
  CastPolicy policy = CastPolicy::fallthrough;

  /// The compute dtype; a TensorError when the operation does not support it.
  Dtype common(Dtype promoted) const {
    if (rule == DtypeRule::real) return is_floating_point(promoted) ? promoted : float32;
    check(promoted);
    return promoted;
  }
  Dtype result(Dtype common) const { return rule == DtypeRule::predicate ? bool_ : common; }
  kernels::FusedOperation fused(Dtype common) const { return {kernel, common, result(common)}; }

  [[noreturn]] void refuse(std::string_view expected, Dtype dtype) const {
    throw TensorError(name, "dtype", expected,
                      std::string(lectern::name(dtype)).append("; convert with to() first"));
  }

 private:
  void check(Dtype dtype) const {
    const bool real = is_floating_point(dtype);
    if (rule == DtypeRule::any_numeric && dtype == bool_) refuse("a number's", dtype);
    if (rule == DtypeRule::floating && !real) refuse("floating point", dtype);
    if (rule == DtypeRule::bits && real) refuse("an integer's or bool", dtype);
    if (rule == DtypeRule::integer && (real || dtype == bool_)) refuse("an integer's", dtype);
  }
};

using UnaryOperation = Operation<Unary>;
using BinaryOperation = Operation<Binary>;

/// For bool, bitwise_not is logical_not.
UnaryOperation typed_operation(const UnaryOperation& operation, Dtype dtype) {
  if (operation.kernel == Unary::bitwise_not && dtype == bool_)
    return {operation.name, Unary::logical_not, operation.rule};
  return operation;
}

Dtype common_dtype(const UnaryOperation& operation, const Tensor& a) {
  return operation.common(operation.kernel == Unary::square && a.dtype() == bool_ ? int64 : a.dtype());
}

template <typename A, typename B>
Dtype common_dtype(const BinaryOperation& operation, const A& a, const B& b) {
  const Dtype common = operation.common(promoted_dtype(a, b));
  if (operation.kernel == Binary::sub && (a.dtype() == bool_ || b.dtype() == bool_))
    operation.refuse("a number's", bool_);
  return common;
}

/// out = operation(in…); out has the shape of the result.
template <typename Kernel, typename... In>
void compute(const Operation<Kernel>& operation, Dtype common, const Tensor& out, const In&... in) {
  apply_elementwise(operation.name, operation.kernel, common, (in.contiguous() && ...), out, in.array()...);
  count_elementwise(out, in...);
}

template <typename Kernel, typename... In>
Tensor computed(const Operation<Kernel>& operation, Dtype common, const Sizes& sizes, Device device,
                const In&... in) {
  Tensor out = empty_result(operation.name, operation.result(common), sizes, device, in...);
  compute(operation, common, out, in...);
  return out;
}

/// Whether the operation divides integers.
bool divides_integers(const UnaryOperation&, Dtype) {
  return false;
}
bool divides_integers(const BinaryOperation& operation, Dtype common) {
  const bool divides = operation.kernel == Binary::floor_divide || operation.kernel == Binary::trunc_divide ||
                       operation.kernel == Binary::remainder || operation.kernel == Binary::fmod;
  return divides && !is_floating_point(common);
}

/// A TensorError for integer division by 0. Not checked on a GPU, since that would synchronize; the result is
/// 0 there, also of remainders.
void check_divisor(const BinaryOperation& operation, Dtype common, const Sizes& sizes, Device device,
                   const Operand& divisor) {
  if (!divides_integers(operation, common)) return;
  const bool scalar = divisor.array().is_scalar;
  if (device.is_cuda() && !scalar) return;
  const bool empty = checked_numel(operation.name, sizes) == 0;
  if (kernels::cpu::contains_zero(scalar && !empty ? Sizes{} : sizes, divisor.array()))
    throw TensorError(operation.name, "a divisor of integers is 0");
}

/// The unary operation equivalent to a power with this exponent; for integers, a TensorError when it is
/// negative or out of range. (A tensor of exponents may hold both.)
std::optional<Unary> simple_power(std::string_view operation, Dtype common, const Scalar& exponent) {
  const double value = exponent.to_double();
  if (!is_floating_point(common)) {
    if (value < 0)
      throw TensorError(operation, "exponent", "0 or more for integers", std::to_string(exponent.to_int64()));
    check_in_range(operation, exponent, common);
  }
  if (value == 2) return Unary::square;
  if (value == 3) return Unary::cube;
  if (value == -1 && is_floating_point(common)) return Unary::reciprocal;
  if (common == float16) return {};  // as in PyTorch, the root of -infinity is then infinite
  if (value == 0.5) return Unary::sqrt;
  if (value == -0.5) return Unary::rsqrt;
  return {};
}

Tensor computed(const BinaryOperation& operation, Dtype common, const Sizes& sizes, Device device,
                const Operand& a, const Operand& b) {
  check_divisor(operation, common, sizes, device, b);
  return computed<Binary>(operation, common, sizes, device, a, b);
}

/// The result: computed, or to be computed later.
template <typename Kernel, typename... In>
Tensor result_of(const Operation<Kernel>& operation, Dtype common, const Sizes& sizes, Device device,
                 const In&... in) {
  if (!divides_integers(operation, common)) {
    Tensor later = deferred(operation.name, operation.fused(common), sizes, device, in...);
    if (later.defined()) return later;
  }
  return computed(operation, common, sizes, device, Operand(in, common, sizes, device)...);
}

Tensor unary(const UnaryOperation& operation, Dtype common, const Tensor& a) {
  UnaryRecord record(operation.kernel, a);
  Tensor out = result_of(typed_operation(operation, common), common, a.sizes(), a.device(), a);
  record.finish(operation.name, out);
  return out;
}

Tensor unary(const UnaryOperation& operation, const Tensor& a) {
  if (autocasts_to_float32(operation.policy, a)) return unary(operation, a.to(float32));
  return unary(operation, common_dtype(operation, a), a);
}

template <typename A, typename B>
Tensor recorded(const BinaryOperation& operation, Dtype common, const Sizes& sizes, Device device, const A& a,
                const B& b) {
  BinaryRecord<A, B> record(operation.kernel, a, b);
  Tensor out = result_of(operation, common, sizes, device, a, b);
  record.finish(operation.name, out);
  return out;
}

Tensor binary(const BinaryOperation& operation, const Tensor& a, const Tensor& b) {
  if (autocasts_to_float32(operation.policy, a) || autocasts_to_float32(operation.policy, b))
    return autocast_to_float32([&](const auto&... in) { return binary(operation, in...); }, a, b);
  const Device device = common_device(operation.name, a, b);
  const Dtype common = common_dtype(operation, a, b);
  const Sizes* sizes = &a.sizes();
  std::optional<Sizes> broadcast;
  if (a.sizes() != b.sizes())
    sizes = &broadcast.emplace(broadcast_sizes(operation.name, a.sizes(), b.sizes()));
  return recorded(operation, common, *sizes, device, a, b);
}

/// Computed as rsqrt but with pow's gradient, as rsqrt has none at -infinity.
Tensor inverse_root(const BinaryOperation& power, Dtype common, const Tensor& a, const Scalar& exponent) {
  BinaryRecord<Tensor, Scalar> record(power.kernel, a, exponent);
  Tensor out =
      result_of(UnaryOperation{power.name, Unary::rsqrt, power.rule}, common, a.sizes(), a.device(), a);
  record.finish(power.name, out);
  return out;
}

Tensor binary(const BinaryOperation& operation, const Tensor& a, const Scalar& b) {
  if (autocasts_to_float32(operation.policy, a)) return binary(operation, a.to(float32), b);
  const Dtype common = common_dtype(operation, a, b);
  if (operation.kernel == Binary::pow) {
    const auto power = simple_power(operation.name, common, b);
    if (power == Unary::rsqrt) return inverse_root(operation, common, a, b);
    if (power) return unary({operation.name, *power, operation.rule}, common, a);
  }
  return recorded(operation, common, a.sizes(), a.device(), a, b);
}

Tensor binary(const BinaryOperation& operation, const Scalar& a, const Tensor& b) {
  // As in PyTorch, where a scalar's quotient is a multiple of the reciprocal, whose policy this is.
  const CastPolicy policy = operation.kernel == Binary::div ? CastPolicy::fp32 : operation.policy;
  if (autocasts_to_float32(policy, b)) return binary(operation, a, b.to(float32));
  const Dtype common = common_dtype(operation, a, b);
  if (operation.kernel == Binary::pow) check_in_range(operation.name, a, common);
  return recorded(operation, common, b.sizes(), b.device(), a, b);
}

template <typename Kernel, typename... In>
const Tensor& compute_in_place(const Operation<Kernel>& operation, Dtype common, const Tensor& self,
                               bool recorded, const In&... in) {
  check_in_place(operation.name, operation.result(common), self);
  autograd::check_change(operation.name, self, recorded);
  const auto operand = [&](const auto& value) { return Operand(value, common, self.sizes(), self.device()); };
  if (divides_integers(operation, common) || !deferred_change(operation.fused(common), self, self, in...))
    compute(operation, common, self, operand(self), operand(in)...);
  self.storage().bump_version();
  return self;
}

const Tensor& unary_in_place(const UnaryOperation& operation, Dtype common, const Tensor& self) {
  UnaryRecord record(operation.kernel, self, true);
  compute_in_place(typed_operation(operation, common), common, self, record.is_recorded());
  record.finish(operation.name, self);
  return self;
}

const Tensor& unary_in_place(const UnaryOperation& operation, const Tensor& self) {
  return unary_in_place(operation, common_dtype(operation, self), self);
}

template <typename Other>
const Tensor& compute_in_place_with(const BinaryOperation& operation, Dtype common, const Tensor& self,
                                    const Other& other) {
  const auto& apart = fitting(operation.name, self, other);
  if (divides_integers(operation, common)) {
    const Operand divisor(apart, common, self.sizes(), self.device());
    check_divisor(operation, common, self.sizes(), self.device(), divisor);
  }
  BinaryRecord<Tensor, Other> record(operation.kernel, self, other, true);
  compute_in_place(operation, common, self, record.is_recorded(), apart);
  record.finish(operation.name, self);
  return self;
}

const Tensor& binary_in_place(const BinaryOperation& operation, const Tensor& self, const Tensor& other) {
  return compute_in_place_with(operation, common_dtype(operation, self, other), self, other);
}

const Tensor& binary_in_place(const BinaryOperation& operation, const Tensor& self, const Scalar& other) {
  const Dtype common = common_dtype(operation, self, other);
  if (operation.kernel == Binary::pow) {
    const auto power = simple_power(operation.name, common, other);
    if (power == Unary::rsqrt) {
      BinaryRecord<Tensor, Scalar> record(operation.kernel, self, other, true);
      compute_in_place(UnaryOperation{operation.name, *power, operation.rule}, common, self,
                       record.is_recorded());
      record.finish(operation.name, self);
      return self;
    }
    if (power) return unary_in_place({operation.name, *power, operation.rule}, common, self);
  }
  return compute_in_place_with(operation, common, self, other);
}

/// Division with a rounding mode, by the table's row.
BinaryOperation rounded_division(std::string_view operation, std::string_view rounding_mode) {
  if (rounding_mode == "floor") return {operation, Binary::floor_divide, DtypeRule::any_numeric};
  if (rounding_mode == "trunc") return {operation, Binary::trunc_divide, DtypeRule::any_numeric};
  throw TensorError(operation, "rounding_mode", "\"floor\" or \"trunc\"",
                    "\"" + std::string(rounding_mode) + "\"");
}

}  // namespace

#define LECTERN_ROW(name, Functor, rule, autocast)                                \
  Tensor name(const Tensor& a) {                                                  \
    return unary({#name, Unary::name, DtypeRule::rule, CastPolicy::autocast}, a); \
  }                                                                               \
  Tensor Tensor::name() const {                                                   \
    return lectern::name(*this);                                                  \
  }                                                                               \
  const Tensor& Tensor::name##_() const {                                         \
    return unary_in_place({#name "_", Unary::name, DtypeRule::rule}, *this);      \
  }
LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

#define LECTERN_ROW(name, Functor, rule, autocast)                                     \
  Tensor name(const Tensor& a, const Tensor& b) {                                      \
    return binary({#name, Binary::name, DtypeRule::rule, CastPolicy::autocast}, a, b); \
  }                                                                                    \
  Tensor name(const Tensor& a, const Scalar& b) {                                      \
    return binary({#name, Binary::name, DtypeRule::rule, CastPolicy::autocast}, a, b); \
  }                                                                                    \
  Tensor name(const Scalar& a, const Tensor& b) {                                      \
    return binary({#name, Binary::name, DtypeRule::rule, CastPolicy::autocast}, a, b); \
  }                                                                                    \
  Tensor Tensor::name(const Tensor& other) const {                                     \
    return lectern::name(*this, other);                                                \
  }                                                                                    \
  Tensor Tensor::name(const Scalar& other) const {                                     \
    return lectern::name(*this, other);                                                \
  }                                                                                    \
  const Tensor& Tensor::name##_(const Tensor& other) const {                           \
    return binary_in_place({#name "_", Binary::name, DtypeRule::rule}, *this, other);  \
  }                                                                                    \
  const Tensor& Tensor::name##_(const Scalar& other) const {                           \
    return binary_in_place({#name "_", Binary::name, DtypeRule::rule}, *this, other);  \
  }
LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

Tensor div(const Tensor& a, const Tensor& b, std::string_view rounding_mode) {
  return binary(rounded_division("div", rounding_mode), a, b);
}
Tensor div(const Tensor& a, const Scalar& b, std::string_view rounding_mode) {
  return binary(rounded_division("div", rounding_mode), a, b);
}
Tensor div(const Scalar& a, const Tensor& b, std::string_view rounding_mode) {
  return binary(rounded_division("div", rounding_mode), a, b);
}
const Tensor& Tensor::div_(const Tensor& other, std::string_view rounding_mode) const {
  return binary_in_place(rounded_division("div_", rounding_mode), *this, other);
}
const Tensor& Tensor::div_(const Scalar& other, std::string_view rounding_mode) const {
  return binary_in_place(rounded_division("div_", rounding_mode), *this, other);
}

}  // namespace lectern
