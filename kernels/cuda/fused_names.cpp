#include "kernels/cuda/fused_names.h"

#include <string_view>

#include <fmt/format.h>

#include "kernels/elementwise_table.h"
#include "kernels/reduction_functors.h"
#include "kernels/reduction_table.h"

namespace lectern::kernels::cuda {
namespace {

using OperationKind = FusedOperation::Kind;

#define LECTERN_ROW(name, Functor, ...) #Functor,
constexpr std::string_view kUnaryFunctors[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kBinaryFunctors[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kTernaryFunctors[] = {LECTERN_TERNARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kReductionFunctors[] = {LECTERN_REDUCTIONS(LECTERN_ROW)};
#undef LECTERN_ROW

template <typename Functor>
constexpr bool kHasPivot = requires {
  typename Functor::Pivot;
};
#define LECTERN_ROW(name, Functor, ...) kHasPivot<Functor<float>>,
constexpr bool kHasPivots[] = {LECTERN_REDUCTIONS(LECTERN_ROW)};
#undef LECTERN_ROW

/// By compute type: float, double, int64.
template <template <typename> typename Functor, typename C>
constexpr std::int64_t size_of_state() {
  if constexpr (requires { typename Functor<C>; }) {
    return sizeof(typename Functor<C>::State);
  } else {
    return 0;
  }
}
struct StateSizes {
  std::int64_t float_size, double_size, integer_size;
};
#define LECTERN_ROW(name, Functor, ...) \
  {size_of_state<Functor, float>(), size_of_state<Functor, double>(), size_of_state<Functor, std::int64_t>()},
constexpr StateSizes kStateSizes[] = {LECTERN_REDUCTIONS(LECTERN_ROW)};
#undef LECTERN_ROW

}  // namespace

std::string type_name(Dtype dtype) {
  constexpr std::string_view kNames[kDtypes] = {
      "double",       "float",        "Half",         "BFloat16",    "Float8_e4m3fn", "Float8_e5m2",
      "std::int64_t", "std::int32_t", "std::int16_t", "std::int8_t", "std::uint8_t",  "bool"};
  return std::string(kNames[static_cast<int>(dtype)]);
}
static_assert(static_cast<int>(float64) == 0 && static_cast<int>(int64) == 6 &&
              static_cast<int>(bool_) == 11);

std::string compute_type_name(Dtype dtype) {
  return fmt::format("Compute<{}>", type_name(dtype));
}

std::string functor_name(const FusedOperation& operation) {
  const std::size_t code = operation.code;
  if (operation.kind == OperationKind::reduction)
    return fmt::format("{}<{}>", kReductionFunctors[code], compute_type_name(operation.common));
  std::string functor;
  switch (operation.kind) {
    case OperationKind::unary:
      functor = kUnaryFunctors[code];
      break;
    case OperationKind::binary:
      functor = kBinaryFunctors[code];
      break;
    case OperationKind::ternary:
      functor = kTernaryFunctors[code];
      break;
    case OperationKind::unary_gradient:
      functor = fmt::format("UnaryGradient<{}>", kUnaryFunctors[code]);
      break;
    default:
      functor = fmt::format("BinaryGradient<{}, Side::{}>", kBinaryFunctors[code],
                            operation.side == Side::a ? "a" : "b");
  }
  return fmt::format("FunctorOf<{}, {}>", functor, type_name(operation.common));
}

std::int64_t state_bytes(const FusedOperation& reduction) {
  const StateSizes& sizes = kStateSizes[reduction.code];
  if (!is_floating_point(reduction.common)) return sizes.integer_size;
  return reduction.common == float64 ? sizes.double_size : sizes.float_size;
}

bool has_pivot(const FusedOperation& reduction) {
  return kHasPivots[reduction.code];
}

}  // namespace lectern::kernels::cuda
