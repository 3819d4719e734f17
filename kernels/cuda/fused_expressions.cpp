#include "kernels/cuda/fused_expressions.h"

#include "kernels/cuda/fused_names.h"

namespace lectern::kernels::cuda {
namespace {

using Kind = FusedOperation::Kind;
using Origin = FusedOperand::Source;
using std::to_string;

}  // namespace

FusedExpressions::FusedExpressions(const FusedProgram& program, bool is_by_elements)
    : program_(program), is_by_elements_(is_by_elements) {
  for (const FusedInput& input : program.inputs) walks_.push_back(gather_geometry(input));
}

bool FusedExpressions::is_dense(std::size_t input) const {
  const FusedInput& of = program_.inputs[input];
  return !of.per_row && is_packed_geometry(walks_[input], of.dtype);
}

bool FusedExpressions::takes_32_bits() const {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  bool takes = program_.rows * program_.columns < kMost;
  for (const Geometry& walk : walks_) {
    std::int64_t last = 0;
    for (int d = 0; d < walk.rank; ++d) {
      const auto dim = static_cast<std::size_t>(d);
      last += (walk.sizes[dim] - 1) * walk.strides[0][dim];
    }
    takes = takes && last < kMost;
  }
  return takes;
}

std::string FusedExpressions::offset(std::size_t input, const std::string& index) const {
  const Geometry& walk = walks_[input];
  const std::int64_t size = element_size(program_.inputs[input].dtype);
  std::string sum, rest = index;
  for (int d = 0; d < walk.rank; ++d) {
    const auto dim = static_cast<std::size_t>(d);
    const bool is_last = d + 1 == walk.rank;
    const std::string extent = "Index(" + to_string(walk.sizes[dim]) + ")";
    const std::string place = is_last ? rest : "(" + rest + " % " + extent + ")";
    const std::int64_t stride = walk.strides[0][dim] / size;
    if (stride != 0) sum += (sum.empty() ? "" : " + ") + place + " * Index(" + to_string(stride) + ")";
    rest = "(" + rest + " / " + extent + ")";
  }
  return sum.empty() ? "0" : sum;
}

std::string FusedExpressions::value(const FusedOperand& operand) const {
  const std::string index = to_string(operand.index);
  if (operand.source == Origin::number) return "n" + index;
  const bool is_step = operand.source == Origin::step;
  const bool per_row = is_step ? at(operand.index).per_row() : program_.inputs[operand.index].per_row;
  return (per_row && !is_by_elements_ ? "row." : "") + std::string(is_step ? "s" : "i") + index;
}
std::string FusedExpressions::operand(const FusedOperand& of, Dtype common) const {
  if (of.source == Origin::number) return value(of);
  return "fused_operand<" + type_name(common) + ">(" + value(of) + ")";
}
std::string FusedExpressions::result(const FusedStep& step, const std::string& computed) const {
  return "convert_number<" + type_name(step.operation.result) + ">(" + computed + ")";
}
std::string FusedExpressions::expression(const FusedStep& step) const {
  if (step.operation.kind == Kind::convert) return result(step, value(step.in[0]));
  std::string operands;
  for (std::size_t k = 0; k < step.operands; ++k)
    operands += (k > 0 ? ", " : "") + operand(step.in[k], step.operation.common);
  return result(step, functor_name(step.operation) + "{}(" + operands + ")");
}
std::string FusedExpressions::absorbed(const FusedStep& step) const {
  return operand(step.in[0], step.operation.common);
}
}  // namespace lectern::kernels::cuda
