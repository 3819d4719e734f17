#include "ops/elementwise.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/elementwise.h"
#include "ops/devices.h"
#include "tensor/layout.h"
#include "tensor/on_device.h"
#include "tensor/scalar_element.h"

namespace lectern {
namespace {

using kernels::Array;
using kernels::Binary;
using kernels::Unary;

/// Of the dtype, see kernels/elementwise_table.h.
enum class Rule : std::uint8_t { same, real, truth };

template <typename Kernel>
struct Operation {
  std::string_view name;
  Kernel kernel;
  Rule rule;

  Dtype common(Dtype promoted) const {
    return rule == Rule::real && !is_floating_point(promoted) ? float32 : promoted;
  }
  Dtype result(Dtype common) const { return rule == Rule::truth ? bool_ : common; }
};

[[noreturn]] void no_bool(std::string_view operation) {
  throw TensorError(operation, "dtype", "a number's", "bool; convert with to() first");
}

Dtype common_dtype(const Operation<Unary>& operation, const Tensor& a) {
  const Dtype dtype = a.dtype();
  if (dtype == bool_) {
    if (operation.kernel == Unary::neg || operation.kernel == Unary::abs) no_bool(operation.name);
    if (operation.kernel == Unary::square) return int64;
  }
  return operation.common(dtype);
}

void add_to(ResultType& result, const Tensor& a) {
  result.tensor(a.dtype(), a.dim());
}
void add_to(ResultType& result, const Scalar& a) {
  result.number(a.dtype());
}

template <typename A, typename B>
Dtype common_dtype(const Operation<Binary>& operation, const A& a, const B& b) {
  ResultType promoted;
  add_to(promoted, a);
  add_to(promoted, b);
  const Dtype common = operation.common(promoted.dtype());
  const bool any_bool = a.dtype() == bool_ || b.dtype() == bool_;
  if (operation.kernel == Binary::sub && any_bool) no_bool(operation.name);
  if (operation.kernel == Binary::pow && common == bool_) no_bool(operation.name);
  return common;
}

/// Whether a tensor serves an operation on another device, as a number.
bool is_number(const Tensor& tensor) {
  return tensor.dim() == 0 && tensor.device().is_cpu();
}

/// Where to compute. Of tensors on two devices one has to be a number.
Device common_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device() || is_number(b)) return a.device();
  if (!is_number(a)) check_same_device(operation, a, b);
  return b.device();
}

Array array_of(const Tensor& tensor) {
  return {tensor.data_ptr(), tensor.dtype(), tensor.strides().begin()};
}

/// What an operation reads, expanded to the shape of the result: a tensor, or a number that repeats as one
/// element of the common dtype.
class Operand {
 public:
  Operand(const Tensor& tensor, Dtype, const Sizes& sizes, Device device)
      : array_(array_of(tensor)), nbytes_(tensor.nbytes()), contiguous_(tensor.is_contiguous()) {
    if (tensor.device() != device) {
      array_.strides = kRepeated;
      array_.number = true;
      contiguous_ = true;
      return;
    }
    if (tensor.sizes() == sizes) return;
    contiguous_ = false;
    strides_ = expanded_strides(tensor.sizes(), tensor.strides(), sizes);
    array_.strides = strides_->begin();
  }
  Operand(const Scalar& number, Dtype common, const Sizes&, Device)
      : number_(ScalarElement(number, common)), array_{number_->data(), common, kRepeated, true} {}
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;

  /// Whether its elements lie in the order of a contiguous result.
  bool contiguous() const { return contiguous_; }
  const Array& array() const { return array_; }
  std::int64_t nbytes() const { return nbytes_; }

 private:
  static constexpr std::int64_t kRepeated[kMaxDims] = {};

  std::optional<ScalarElement> number_;
  std::optional<Sizes> strides_;
  Array array_;
  std::int64_t nbytes_ = 0;
  bool contiguous_ = true;
};

/// out = operation(in…), out has the shape of the result.
template <typename Kernel, typename... In>
void compute(const Operation<Kernel>& operation, Dtype common, const Tensor& out, const In&... in) {
  on_device(
      operation.name, out.device(),
      [&] {
        if (out.is_contiguous() && (in.contiguous() && ...)) {
          kernels::apply_contiguous(operation.kernel, common, out.numel(), array_of(out), in.array()...);
        } else {
          kernels::apply(operation.kernel, common, out.sizes(), array_of(out), in.array()...);
        }
      },
      [&] { kernels::cuda::apply(operation.kernel, common, out.sizes(), array_of(out), in.array()...); });
  count(out.numel(), out.nbytes() + (in.nbytes() + ...));
}

/// Where the result goes when it is not in place.
template <typename Kernel, typename... In>
Tensor empty_result(const Operation<Kernel>& operation, Dtype common, const Sizes& sizes, Device device,
                    const In&... in) {
  const Dtype dtype = operation.result(common);
  if ((in.contiguous() && ...))
    return empty_dense(operation.name, dtype, device, sizes, contiguous_strides(sizes));
  const std::int64_t* const strides[] = {in.array().strides...};
  return empty_dense(operation.name, dtype, device, sizes, result_strides(sizes, strides));
}

template <typename Kernel, typename... In>
Tensor computed(const Operation<Kernel>& operation, Dtype common, const Sizes& sizes, Device device,
                const In&... in) {
  Tensor out = empty_result(operation, common, sizes, device, in...);
  compute(operation, common, out, in...);
  return out;
}

/// The unary operation that a power with this number as its exponent is; of integers, a TensorError when the
/// number is negative or none of their dtype. (A tensor of exponents may hold both.)
std::optional<Unary> simple_power(std::string_view operation, Dtype common, const Scalar& exponent) {
  const double value = exponent.to_double();
  if (!is_floating_point(common)) {
    if (value < 0)
      throw TensorError(operation, "exponent", "0 or more for integers", std::to_string(exponent.to_int64()));
    check_in_range(operation, exponent, common);
  }
  if (value == 2) return Unary::square;
  if (value == 0.5) return Unary::sqrt;
  if (value == -0.5) return Unary::rsqrt;
  return {};
}

Tensor unary(const Operation<Unary>& operation, const Tensor& a) {
  const Dtype common = common_dtype(operation, a);
  return computed(operation, common, a.sizes(), a.device(), Operand(a, common, a.sizes(), a.device()));
}

Tensor binary(const Operation<Binary>& operation, const Tensor& a, const Tensor& b) {
  const Device device = common_device(operation.name, a, b);
  const Dtype common = common_dtype(operation, a, b);
  const Sizes* sizes = &a.sizes();
  std::optional<Sizes> broadcast;
  if (a.sizes() != b.sizes())
    sizes = &broadcast.emplace(broadcast_sizes(operation.name, a.sizes(), b.sizes()));
  return computed(operation, common, *sizes, device, Operand(a, common, *sizes, device),
                  Operand(b, common, *sizes, device));
}

Tensor binary(const Operation<Binary>& operation, const Tensor& a, const Scalar& b) {
  const Dtype common = common_dtype(operation, a, b);
  const Device device = a.device();
  const Operand left(a, common, a.sizes(), device);
  if (operation.kernel == Binary::pow) {
    if (const auto power = simple_power(operation.name, common, b)) {
      return computed(Operation<Unary>{operation.name, *power, operation.rule}, common, a.sizes(), device,
                      left);
    }
  }
  return computed(operation, common, a.sizes(), device, left, Operand(b, common, a.sizes(), device));
}

Tensor binary(const Operation<Binary>& operation, const Scalar& a, const Tensor& b) {
  const Dtype common = common_dtype(operation, a, b);
  const Device device = b.device();
  return computed(operation, common, b.sizes(), device, Operand(a, common, b.sizes(), device),
                  Operand(b, common, b.sizes(), device));
}

void check_in_place(std::string_view operation, Dtype result, const Tensor& self) {
  if (!can_cast(result, self.dtype())) {
    throw TensorError(operation, std::string("the result type ")
                                     .append(name(result))
                                     .append(" can't be cast to the type of the tensor, ")
                                     .append(name(self.dtype())));
  }
  check_writable(operation, self);
}

void check_other(std::string_view operation, const Tensor& self, const Tensor& other) {
  if (!is_number(other)) check_same_device(operation, self, other);
  if (self.sizes() != other.sizes()) {
    const Sizes sizes = broadcast_sizes(operation, self.sizes(), other.sizes());
    if (sizes != self.sizes()) {
      throw TensorError(operation, "the shape of the result, " + to_string(sizes) +
                                       ", is not that of the tensor, " + to_string(self.sizes()) +
                                       "; in place only the other one is broadcast");
    }
  }
  check_overlap(operation, self, other);
}

template <typename Kernel, typename... In>
const Tensor& compute_in_place(const Operation<Kernel>& operation, Dtype common, const Tensor& self,
                               const In&... in) {
  check_in_place(operation.name, operation.result(common), self);
  compute(operation, common, self, Operand(self, common, self.sizes(), self.device()), in...);
  self.storage().bump_version();
  return self;
}

const Tensor& unary_in_place(const Operation<Unary>& operation, const Tensor& self) {
  return compute_in_place(operation, common_dtype(operation, self), self);
}

const Tensor& binary_in_place(const Operation<Binary>& operation, const Tensor& self, const Tensor& other) {
  const Dtype common = common_dtype(operation, self, other);
  check_other(operation.name, self, other);
  return compute_in_place(operation, common, self, Operand(other, common, self.sizes(), self.device()));
}

const Tensor& binary_in_place(const Operation<Binary>& operation, const Tensor& self, const Scalar& other) {
  const Dtype common = common_dtype(operation, self, other);
  if (operation.kernel == Binary::pow) {
    if (const auto power = simple_power(operation.name, common, other)) {
      return compute_in_place(Operation<Unary>{operation.name, *power, operation.rule}, common, self);
    }
  }
  return compute_in_place(operation, common, self, Operand(other, common, self.sizes(), self.device()));
}

}  // namespace

#define LECTERN_ROW(name, Functor, rule)                                \
  Tensor name(const Tensor& a) {                                        \
    return unary({#name, Unary::name, Rule::rule}, a);                  \
  }                                                                     \
  Tensor Tensor::name() const {                                         \
    return lectern::name(*this);                                        \
  }                                                                     \
  const Tensor& Tensor::name##_() const {                               \
    return unary_in_place({#name "_", Unary::name, Rule::rule}, *this); \
  }
LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

#define LECTERN_ROW(name, Functor, rule)                                         \
  Tensor name(const Tensor& a, const Tensor& b) {                                \
    return binary({#name, Binary::name, Rule::rule}, a, b);                      \
  }                                                                              \
  Tensor name(const Tensor& a, const Scalar& b) {                                \
    return binary({#name, Binary::name, Rule::rule}, a, b);                      \
  }                                                                              \
  Tensor name(const Scalar& a, const Tensor& b) {                                \
    return binary({#name, Binary::name, Rule::rule}, a, b);                      \
  }                                                                              \
  Tensor Tensor::name(const Tensor& other) const {                               \
    return lectern::name(*this, other);                                          \
  }                                                                              \
  Tensor Tensor::name(const Scalar& other) const {                               \
    return lectern::name(*this, other);                                          \
  }                                                                              \
  const Tensor& Tensor::name##_(const Tensor& other) const {                     \
    return binary_in_place({#name "_", Binary::name, Rule::rule}, *this, other); \
  }                                                                              \
  const Tensor& Tensor::name##_(const Scalar& other) const {                     \
    return binary_in_place({#name "_", Binary::name, Rule::rule}, *this, other); \
  }
LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW

}  // namespace lectern
