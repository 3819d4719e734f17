#include "distributed/nccl_reduction.h"

#include <fmt/format.h>

#include "base/tensor_error.h"

namespace lectern::nccl {
namespace {

using distributed::ReduceOp;

Type type_of(std::string_view operation, Dtype dtype) {
  switch (dtype) {
    case float64:
      return Type::float64;
    case float32:
      return Type::float32;
    case float16:
      return Type::float16;
    case bfloat16:
      return Type::bfloat16;
    case int64:
      return Type::int64;
    case int32:
      return Type::int32;
    case int8:
      return Type::int8;
    case uint8:
    case bool_:
      return Type::uint8;
    default:
      throw TensorError(operation,
                        fmt::format("NCCL does not reduce {}; convert the tensor to {}", name(dtype),
                                    is_floating_point(dtype) ? "bfloat16 or float32" : "int32"));
  }
}

Op op_of(ReduceOp op, bool is_bool) {
  switch (op) {
    case ReduceOp::sum:
      return is_bool ? Op::max : Op::sum;
    case ReduceOp::avg:
      return Op::avg;
    case ReduceOp::product:
      return is_bool ? Op::min : Op::product;
    case ReduceOp::min:
      return Op::min;
    case ReduceOp::max:
      break;
  }
  return Op::max;
}

}  // namespace

Reduction reduction_of(std::string_view operation, const distributed::Reduction& reduction) {
  return {type_of(operation, reduction.dtype), op_of(reduction.op, reduction.dtype == bool_)};
}

}  // namespace lectern::nccl
