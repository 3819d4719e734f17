#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/fused.h"

namespace lectern::kernels::cuda {

/// Which threads compute what of a fused program, and when: see kernels/cuda/fused_source.h.
class FusedSchedule {
 public:
  /// How the work is divided among threads.
  enum class Mapping : std::uint8_t { elements, rows, parts, columns };

  /// `pack`: the neighbours that a thread reads at once.
  FusedSchedule(const FusedProgram& program, int pack);

  Mapping mapping() const { return mapping_; }
  /// Of a group.
  int threads() const { return threads_; }
  /// Of a row, of so many columns each; or of the rows. 0: nothing is merged.
  std::int64_t parts() const { return parts_; }
  static constexpr std::int64_t kPartColumns = 16384;
  /// Of each reduction that is merged: how many results it has, each of the states of all parts.
  std::int64_t results() const { return mapping_ == Mapping::parts ? program_.rows : program_.columns; }

  /// A reduction whose result a row has, or one that is merged.
  bool is_row_reduction(std::size_t step) const;
  bool is_merged(std::size_t step) const;
  std::vector<std::size_t> merged() const;

  /// Loops over a row: in each those reductions are computed that need the results of the one before. Those
  /// with a pivot take two, of which the first is for that.
  int loops() const { return loops_; }
  std::vector<std::size_t> reductions_of(int loop) const;
  bool is_pivot_loop(std::size_t step, int loop) const;
  bool is_term_loop(std::size_t step, int loop) const;
  /// After so many loops a step's value is there.
  int available(std::size_t step) const { return available_[step]; }

 private:
  const FusedStep& at(std::size_t step) const { return program_.steps[step]; }
  void find_loops();

  const FusedProgram& program_;
  Mapping mapping_ = Mapping::elements;
  int threads_;
  std::int64_t parts_ = 0;
  int loops_ = 0;
  std::vector<int> available_, loop_of_;
};

bool is_reduction(const FusedStep& step);

}  // namespace lectern::kernels::cuda
