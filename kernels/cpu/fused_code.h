#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cpu/conversions.h"
#include "kernels/cpu/element_blocks.h"
#include "kernels/cpu/reduction_blocks.h"
#include "kernels/fused.h"
#include "kernels/geometry.h"

// A fused program as instructions for blocks of elements: which function of which tables, from where to
// where.

namespace lectern::kernels::cpu {

/// Elements of a block that is a part of a row, and of one of whole rows, unless a row is longer: these have
/// instructions for each row besides.
inline constexpr std::int64_t kFusedBlock = kRunPart, kFusedRows = 2 * kRunPart;

/// How a value of this dtype is held between steps, rounded to it: 16- and 8-bit floats as float32, integers
/// as int64.
constexpr Dtype held_dtype(Dtype dtype) {
  return dtype == bool_ ? bool_ : compute_dtype(dtype);
}

/// Where elements lie, those of a block in scratch memory, or of all blocks in an array.
struct FusedPlace {
  enum class Memory : std::uint8_t { scratch, input, output, number };
  Memory memory = Memory::scratch;
  Dtype dtype = float32;
  std::size_t at = 0;  ///< the offset in the scratch memory, or the index
};

struct FusedInstruction {
  enum class Kind : std::uint8_t {
    load,     ///< gathers the elements of an input
    call,     ///< an operation
    spread,   ///< repeats each row's element along its row
    convert,  ///< through one or two dtypes
    reduce,   ///< each row, to its element
    partial,  ///< each row's part, to the state of the reduction `at`
    absorb    ///< each row, by the columns' states of the reduction `at`
  };

  Kind kind;
  bool per_row = false;  ///< as many elements as rows
  FusedPlace to{};
  std::array<FusedPlace, 3> from{};
  std::uint8_t operands = 1;
  ElementBlock block = nullptr;
  /// The operand that repeats one element, over the block or, one per row, over each row; -1: none.
  int repeated = -1;
  bool repeated_per_row = false;
  Access access = Access::cached;
  std::array<Conversion, 2> conversions{};
  std::size_t between = 0;  ///< the offset in the scratch memory of what the first conversion gives
  const ReductionBlocks* reduction = nullptr;
  std::size_t at = 0;
};

/// Rows whose elements a column's state absorbs one after the other; the unit of work of a thread where there
/// are such.
inline constexpr std::int64_t kColumnRows = 64;

/// A reduction of columns, or of rows longer than a block: its states are merged when all blocks are done.
struct LongReduction {
  const ReductionBlocks* blocks;
  bool reduces_columns;
  Dtype held, result;  ///< in which it is computed, and that of the output
  std::size_t output;
};

struct FusedCode {
  std::int64_t rows, columns;
  std::int64_t block_rows;  ///< whole rows of a block; 0: a block is a part of a row
  std::size_t scratch_bytes = 0;
  bool streams = false;
  bool reduces_columns = false;
  std::vector<FusedPlace> read_in_place;          ///< inputs with an element for each of the program's
  std::vector<Geometry> gathers;                  ///< by input; those read in place are empty
  std::vector<FusedInstruction> constants, body;  ///< once per thread, and for each block
  std::vector<LongReduction> long_reductions;
};

FusedCode make_fused_code(const FusedProgram& program);

}  // namespace lectern::kernels::cpu
