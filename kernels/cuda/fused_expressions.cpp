#include "kernels/cuda/fused_expressions.h"

#include <iterator>

#include <fmt/format.h>

#include "kernels/cuda/fused_names.h"

namespace lectern::kernels::cuda {
namespace {

using OperationKind = FusedOperation::Kind;
using Origin = FusedOperand::Source;

}  // namespace

FusedExpressions::FusedExpressions(const FusedProgram& program, bool is_by_elements)
    : program_(program), is_by_elements_(is_by_elements) {
  for (const FusedInput& input : program.inputs) walks_.push_back(gather_geometry(input));
}

bool FusedExpressions::is_dense(std::size_t input) const {
  const FusedInput& described = program_.inputs[input];
  return !described.per_row && is_packed_geometry(walks_[input], described.dtype);
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

std::string FusedExpressions::offset(std::size_t input, std::string_view index) const {
  const Geometry& walk = walks_[input];
  const std::int64_t size = element_size(program_.inputs[input].dtype);
  std::string sum, rest(index);
  for (int d = 0; d < walk.rank; ++d) {
    const auto dim = static_cast<std::size_t>(d);
    const bool is_last = d + 1 == walk.rank;
    const std::int64_t stride = walk.strides[0][dim] / size, extent = walk.sizes[dim];
    const std::string place = is_last ? rest : fmt::format("({} % Index({}))", rest, extent);
    if (stride != 0) {
      if (!sum.empty()) sum += " + ";
      fmt::format_to(std::back_inserter(sum), "{} * Index({})", place, stride);
    }
    rest = fmt::format("({} / Index({}))", rest, extent);
  }
  return sum.empty() ? "0" : sum;
}

std::string FusedExpressions::value(const FusedOperand& operand) const {
  if (operand.source == Origin::number) return fmt::format("n{}", operand.index);
  const bool is_step = operand.source == Origin::step;
  const bool per_row = is_step ? at(operand.index).per_row() : program_.inputs[operand.index].per_row;
  return fmt::format("{}{}{}", per_row && !is_by_elements_ ? "row." : "", is_step ? "s" : "i", operand.index);
}
std::string FusedExpressions::operand(const FusedOperand& source, Dtype common) const {
  if (source.source == Origin::number) return value(source);
  return fmt::format("fused_operand<{}>({})", type_name(common), value(source));
}
std::string FusedExpressions::result(const FusedStep& step, std::string_view computed) const {
  return fmt::format("convert_number<{}>({})", type_name(step.operation.result), computed);
}
std::string FusedExpressions::expression(const FusedStep& step) const {
  if (step.operation.kind == OperationKind::convert) return result(step, value(step.in[0]));
  std::vector<std::string> operands;
  for (std::size_t k = 0; k < step.operands; ++k)
    operands.push_back(operand(step.in[k], step.operation.common));
  return result(step, fmt::format("{}{{}}({})", functor_name(step.operation), fmt::join(operands, ", ")));
}
std::string FusedExpressions::absorbed(const FusedStep& step) const {
  return operand(step.in[0], compute_dtype(step.operation.common));  // not rounded, as when it is eager
}

}  // namespace lectern::kernels::cuda
