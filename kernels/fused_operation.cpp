#include "kernels/fused_operation.h"

namespace lectern::kernels {
namespace {

#define LECTERN_ROW(name, ...) #name,
constexpr std::string_view kUnaryNames[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kBinaryNames[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kTernaryNames[] = {LECTERN_TERNARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kReductionNames[] = {LECTERN_REDUCTIONS(LECTERN_ROW)};
#undef LECTERN_ROW

#define LECTERN_ROW(name, ...) std::string_view{#name "_backward"},
constexpr std::string_view kUnaryGradients[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
constexpr std::string_view kBinaryGradients[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW

}  // namespace

FusedOperation FusedOperation::gradient(Unary operation, Dtype dtype) {
  FusedOperation made(operation, dtype, dtype);
  made.kind = Kind::unary_gradient;
  return made;
}

FusedOperation FusedOperation::gradient(Binary operation, Side operand_side, Dtype dtype) {
  FusedOperation made(operation, dtype, dtype);
  made.kind = Kind::binary_gradient;
  made.side = operand_side;
  return made;
}

std::string_view FusedOperation::name() const {
  switch (kind) {
    case Kind::unary:
      return kUnaryNames[code];
    case Kind::binary:
      return kBinaryNames[code];
    case Kind::ternary:
      return kTernaryNames[code];
    case Kind::unary_gradient:
      return kUnaryGradients[code];
    case Kind::binary_gradient:
      return kBinaryGradients[code];
    case Kind::reduction:
      return kReductionNames[code];
    case Kind::convert:
      break;
  }
  return "to";
}

}  // namespace lectern::kernels
