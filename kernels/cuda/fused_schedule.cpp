#include "kernels/cuda/fused_schedule.h"

#include <algorithm>

#include "kernels/cuda/fused_names.h"
#include "kernels/cuda/grid.h"

namespace lectern::kernels::cuda {
namespace {

/// Where columns are reduced, as many threads as have a row, each with the same columns of all rows of a
/// group.
int column_threads(const FusedProgram& program, int pack) {
  constexpr std::int64_t kMost = 512;  // which leaves each 128 registers
  const std::int64_t packs = (program.columns + pack - 1) / pack;
  return static_cast<int>(std::min(kMost, (packs + kWarpThreads - 1) / kWarpThreads * kWarpThreads));
}

/// Groups that have rows of their own: enough to read at the rate of a large GPU's memory, but few to merge.
std::int64_t row_groups(const FusedProgram& program, int threads) {
  constexpr std::int64_t kThreads = 132 * 1024, kLeastRows = 16;
  return std::clamp<std::int64_t>(program.rows / kLeastRows, 1, kThreads / threads);
}

}  // namespace

bool is_reduction(const FusedStep& step) {
  return step.operation.kind == FusedOperation::Kind::reduction;
}

FusedSchedule::FusedSchedule(const FusedProgram& program, int pack)
    : program_(program),
      threads_(kBlockThreads),
      available_(program.steps.size()),
      loop_of_(program.steps.size()) {
  bool reduces = false, reduces_columns = false, has_rows = false;
  for (const FusedStep& step : program.steps) {
    reduces_columns = reduces_columns || step.shape == FusedShape::per_column;
    reduces = reduces || is_reduction(step);
    has_rows = has_rows || step.per_row();
  }
  if (reduces_columns) {
    mapping_ = Mapping::columns;
    threads_ = column_threads(program, pack);
    parts_ = row_groups(program, threads_);
  } else if (reduces && program.columns > kFusedRow) {
    mapping_ = Mapping::parts;
    parts_ = (program.columns + kPartColumns - 1) / kPartColumns;
  } else if (has_rows) {
    mapping_ = Mapping::rows;
    if (program.columns <= kWarpRow) threads_ = kWarpThreads;
  }
  find_loops();
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
