#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/fused.h"

namespace lectern::kernels::cuda {

/// The expressions of a fused program's steps in its source: a step, input or number is called s, i or n with
/// its number, and is a member of `row` if a row has it.
class FusedExpressions {
 public:
  /// `is_by_elements`: nothing belongs to rows.
  FusedExpressions(const FusedProgram& program, bool is_by_elements);

  /// Whether an input's elements are those of the program, in order.
  bool is_dense(std::size_t input) const;
  /// Whether all indices, and offsets in bytes, are below 2^31.
  bool takes_32_bits() const;
  /// The offset in elements of an input's element, or row, at `index`.
  std::string offset(std::size_t input, std::string_view index) const;

  /// The value of a step.
  std::string expression(const FusedStep& step) const;
  /// What a reduction absorbs.
  std::string absorbed(const FusedStep& step) const;
  /// Something computed, rounded to the step's dtype.
  std::string result(const FusedStep& step, std::string_view computed) const;

 private:
  const FusedStep& at(std::size_t step) const { return program_.steps[step]; }
  std::string value(const FusedOperand& operand) const;
  /// In the type that an operation on elements of this dtype computes in.
  std::string operand(const FusedOperand& source, Dtype common) const;

  const FusedProgram& program_;
  bool is_by_elements_;
  std::vector<Geometry> walks_;
};

}  // namespace lectern::kernels::cuda
