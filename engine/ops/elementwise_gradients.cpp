#include "ops/elementwise_gradients.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "device/counters.h"
#include "kernels/elementwise.h"
#include "ops/operands.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using kernels::Array;
using kernels::Binary;
using kernels::GradientReads;
using kernels::Side;
using kernels::Unary;

constexpr std::string_view kUnaryNames[] = {
#define LECTERN_ROW(name, Functor, rule, autocast) std::string_view(#name "_backward"),
    LECTERN_UNARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
};
constexpr std::string_view kBinaryNames[] = {
#define LECTERN_ROW(name, Functor, rule, autocast) std::string_view(#name "_backward"),
    LECTERN_BINARY_OPERATIONS(LECTERN_ROW)
#undef LECTERN_ROW
};

/// A gradient that depends on the result's gradient only.
Tensor constant(GradientReads reads, const Tensor& grad) {
  return reads == GradientReads::pass ? grad : zeros_like(grad);
}

/// launch(the result, the inputs), for a result of grad's shape and dtype.
template <typename Launch, typename... In>
Tensor computed(std::string_view name, const Launch& launch, const Tensor& grad, const In&... in) {
  Tensor out = empty_result(name, grad.dtype(), grad.sizes(), grad.device(), in...);
  const Array arrays[] = {in.array()...};
  launch(array_of(out), std::span<const Array>(arrays));
  count(out.numel(), out.nbytes() + (in.nbytes() + ...));
  return out;
}

template <typename Launch, typename... Read>
Tensor computed_from(std::string_view name, const Launch& launch, const Tensor& grad, const Read&... read) {
  const auto operand = [&](const Tensor& tensor) {
    return Operand(tensor, grad.dtype(), grad.sizes(), grad.device());
  };
  return computed(name, launch, grad, operand(grad), operand(read)...);
}

}  // namespace

Tensor gradient(Unary operation, const Tensor& grad, const Tensor& saved) {
  const GradientReads reads = kernels::gradient_reads(operation);
  if (!kernels::is_computed(reads)) return constant(reads, grad);
  const std::string_view name = kUnaryNames[static_cast<std::size_t>(operation)];
  const auto launch = [&](const Array& out, std::span<const Array> in) {
    kernels::apply_unary_gradient(name, grad.device(), operation, grad.dtype(), grad.sizes(), out, in);
  };
  return reads == GradientReads::grad ? computed_from(name, launch, grad)
                                      : computed_from(name, launch, grad, saved);
}

Tensor gradient(Binary operation, Side side, const Tensor& grad, const Tensor& a, const Tensor& b) {
  const GradientReads reads = kernels::gradient_reads(operation, side);
  if (!kernels::is_computed(reads)) return constant(reads, grad);
  const std::string_view name = kBinaryNames[static_cast<std::size_t>(operation)];
  const auto launch = [&](const Array& out, std::span<const Array> in) {
    kernels::apply_binary_gradient(name, grad.device(), operation, side, grad.dtype(), grad.sizes(), out, in);
  };
  if (reads == GradientReads::grad) return computed_from(name, launch, grad);
  if (reads == GradientReads::both) return computed_from(name, launch, grad, a, b);
  return computed_from(name, launch, grad, reads == GradientReads::a ? a : b);
}

}  // namespace lectern
