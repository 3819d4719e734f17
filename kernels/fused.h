#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "kernels/fused_operation.h"
#include "kernels/geometry.h"
#include "kernels/kernel.h"

// Programs of elementwise operations and reductions of rows that run in one pass over memory: what lies
// between the inputs and the outputs stays in the cache, or in registers. engine/compile/ writes them.

namespace lectern::kernels {

/// Where an operand comes from: an earlier step, an input, or a number.
struct FusedOperand {
  enum class Source : std::uint8_t { step, input, number };
  Source source;
  std::uint16_t index;

  friend bool operator==(const FusedOperand&, const FusedOperand&) = default;
};

/// Which elements a value has: all, or one for each row or column.
enum class FusedShape : std::uint8_t { full, per_row, per_column };

struct FusedStep {
  FusedOperation operation;
  std::array<FusedOperand, 3> in;
  std::uint8_t operands;
  FusedShape shape;          ///< per column: of a reduction, which no step reads
  std::int16_t output = -1;  ///< where its value goes; -1: nowhere

  bool per_row() const { return shape == FusedShape::per_row; }
};

/// An array to read; its elements in row-major order are those of the program's rows and columns, or of its
/// rows.
struct FusedInput {
  Dtype dtype;
  bool per_row;
  std::vector<std::int64_t> sizes, strides;  ///< in elements, as a tensor's

  friend bool operator==(const FusedInput&, const FusedInput&) = default;
};

/// How it is walked, in bytes: dimensions of size 1 removed, neighbours collapsed where memory allows; in
/// row-major order, unlike make_geometry()'s.
Geometry gather_geometry(const FusedInput& input);
/// Whether such a walk is contiguous.
bool is_packed_geometry(const Geometry& geometry, Dtype dtype);

/// Each step is a value of `rows` times `columns` elements, or of `rows`, or of `columns`; a reduction
/// reduces each row or each column. Outputs are contiguous. Values are rounded to their dtype after
/// each step, as in separate operations.
struct FusedProgram {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::vector<FusedInput> inputs;
  std::vector<FusedStep> steps;
  std::vector<Dtype> numbers;  ///< the compute type of each
  std::size_t outputs = 0;
};

/// A number in its compute type.
using FusedNumber = std::array<std::byte, 8>;

/// The longest row that a program may both reduce and read again, and the most columns that it may reduce.
inline constexpr std::int64_t kFusedRow = 16384;

/// A program made ready for a device.
class FusedKernel {
 public:
  FusedKernel() = default;
  virtual ~FusedKernel() = default;
  FusedKernel(const FusedKernel&) = delete;
  FusedKernel& operator=(const FusedKernel&) = delete;

  /// In the order of the program. On a GPU it is enqueued on the current stream.
  virtual void run(std::span<const void* const> inputs, std::span<const FusedNumber> numbers,
                   std::span<void* const> outputs) const = 0;
};

/// Whether programs can be made for a device: on a GPU, if there is NVRTC to compile them.
LECTERN_KERNEL(bool, has_fused, );

/// A program made ready for the current device of that kind. Elements have the bits of separate operations.
///
/// On the CPU it runs the functions of kernels/cpu/element_blocks.h on blocks that fit the L1 cache, from all
/// threads. Reductions of rows of 16 elements or more, too, have the bits of separate ones; those of columns
/// combine 64 rows at a time, then these pairwise. Neither depends on the number of threads.
///
/// On a GPU its source is written and compiled (kernels/cuda/fused_source.h), once for all equal programs.
/// Reductions add in another order than separate ones, always the same.
LECTERN_KERNEL(std::unique_ptr<FusedKernel>, make_fused, const FusedProgram& program);

}  // namespace lectern::kernels
