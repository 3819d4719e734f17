#include "kernels/cuda/fused_schedule.h"

#include <algorithm>

#include "kernels/cuda/fused_names.h"

namespace lectern::kernels::cuda {
namespace {

/// Blocks that have rows of their own where columns are reduced: two for each processor of a large GPU.
constexpr std::int64_t kRowBlocks = 264;

}  // namespace

bool is_reduction(const FusedStep& step) {
  return step.operation.kind == FusedOperation::Kind::reduction;
}

FusedSchedule::FusedSchedule(const FusedProgram& program)
    : program_(program), available_(program.steps.size()), loop_of_(program.steps.size()) {
  bool reduces = false, reduces_columns = false, has_rows = false;
  for (const FusedStep& step : program.steps) {
    reduces_columns = reduces_columns || step.shape == FusedShape::per_column;
    reduces = reduces || is_reduction(step);
    has_rows = has_rows || step.per_row();
  }
  if (reduces_columns) {
    mapping_ = Mapping::columns;
    parts_ = std::min(program.rows, kRowBlocks);
  } else if (reduces && program.columns > kFusedRow) {
    mapping_ = Mapping::parts;
    parts_ = (program.columns + kPartColumns - 1) / kPartColumns;
  } else if (has_rows) {
    mapping_ = Mapping::rows;
  }
  find_loops();
}

std::int64_t FusedSchedule::states() const {
  return parts_ * (mapping_ == Mapping::parts ? program_.rows : program_.columns);
}

bool FusedSchedule::is_row_reduction(std::size_t step) const {
  return is_reduction(at(step)) && at(step).per_row() && mapping_ != Mapping::parts;
}
bool FusedSchedule::is_merged(std::size_t step) const {
  return is_reduction(at(step)) && !is_row_reduction(step);
}

std::vector<std::size_t> FusedSchedule::merged() const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < program_.steps.size(); ++s) {
    if (is_merged(s)) found.push_back(s);
  }
  return found;
}

void FusedSchedule::find_loops() {
  for (std::size_t s = 0; s < program_.steps.size(); ++s) {
    int needs = 0;
    for (std::size_t k = 0; k < at(s).operands; ++k) {
      const FusedOperand& operand = at(s).in[k];
      if (operand.source == FusedOperand::Source::step) needs = std::max(needs, available_[operand.index]);
    }
    loop_of_[s] = available_[s] = needs;
    if (!is_row_reduction(s)) continue;
    available_[s] = needs + (has_pivot(at(s).operation) ? 2 : 1);
    loops_ = std::max(loops_, available_[s]);
  }
}

bool FusedSchedule::is_pivot_loop(std::size_t step, int loop) const {
  return is_row_reduction(step) && has_pivot(at(step).operation) && loop_of_[step] == loop;
}
bool FusedSchedule::is_term_loop(std::size_t step, int loop) const {
  return is_row_reduction(step) && has_pivot(at(step).operation) && loop_of_[step] + 1 == loop;
}

std::vector<std::size_t> FusedSchedule::reductions_of(int loop) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < program_.steps.size(); ++s) {
    if (is_row_reduction(s) && (loop_of_[s] == loop || is_term_loop(s, loop))) found.push_back(s);
  }
  return found;
}

}  // namespace lectern::kernels::cuda
