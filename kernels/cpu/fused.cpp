#include "kernels/fused.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/cache.h"
#include "kernels/cpu/fused_code.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/planes.h"
#include "kernels/cpu/streaming.h"
#include "kernels/cpu/walker.h"

namespace lectern::kernels::cpu {
namespace {

/// This thread's scratch memory, aligned to cache lines; kept from run to run.
std::byte* thread_scratch(std::size_t bytes) {
  thread_local std::unique_ptr<std::byte[]> memory;
  thread_local std::size_t size = 0;
  if (size < bytes + 64) {
    memory = std::make_unique_for_overwrite<std::byte[]>(bytes + 64);
    size = bytes + 64;
  }
  const auto at = reinterpret_cast<std::uintptr_t>(memory.get());
  return memory.get() + (64 - at % 64) % 64;
}

/// The arrays of a run, and the states of its long reductions.
struct FusedArrays {
  std::span<const void* const> inputs;
  std::span<const FusedNumber> numbers;
  std::span<void* const> outputs;
  std::span<std::byte* const> states;
  std::int64_t parts;  ///< states per row
};

struct FusedBlock {
  std::int64_t first_row, rows;
  std::int64_t first, count;  ///< elements
};

/// Elements are fetched from memory so many blocks before they are read.
constexpr std::int64_t kAhead = 2;

/// Executes instructions on a block.
class BlockRunner {
 public:
  BlockRunner(const FusedCode& code, const FusedArrays& arrays, std::byte* scratch)
      : code_(code), arrays_(arrays), scratch_(scratch) {
    for (const FusedInstruction& made : code.body) body_.push_back(bound(made));
  }

  void fill_constants(const FusedBlock& whole) {
    block_ = whole;
    for (const FusedInstruction& made : code_.constants) {
      const Operands operands = bound(made);
      operands_ = &operands;
      execute(made);
    }
  }

  /// Meanwhile fetches the elements of `ahead` that are read in place, a part with each instruction.
  void run(const FusedBlock& block, const FusedBlock& ahead) {
    block_ = block;
    const std::int64_t part = ahead.count / static_cast<std::int64_t>(body_.size()) + 1;
    std::int64_t fetched = 0;
    for (std::size_t i = 0; i < body_.size(); ++i) {
      const std::int64_t next = std::min(ahead.count, fetched + part);
      fetch(ahead, fetched, next);
      fetched = next;
      operands_ = &body_[i];
      execute(code_.body[i]);
    }
  }

 private:
  using Kind = FusedInstruction::Kind;
  using Memory = FusedPlace::Memory;

  void fetch(const FusedBlock& block, std::int64_t begin, std::int64_t end) const {
    for (const FusedPlace& place : code_.read_in_place) {
      const std::int64_t size = element_size(place.dtype);
      const auto* const first = static_cast<const std::byte*>(arrays_.inputs[place.at]) + block.first * size;
      for (std::int64_t at = begin * size; at < end * size; at += kCacheLine) {
        prefetch<1, 3>(first + at);
        asm volatile("");  // or GCC takes the loop to be without effect
      }
    }
  }

  /// A place in memory: where it begins, and how far it moves from element to element of the program.
  struct Bound {
    std::byte* base;
    std::int64_t step;
  };
  struct Operands {
    Bound to;
    std::array<Bound, 3> from;
  };

  Bound bound(const FusedPlace& place) const {
    const std::int64_t size = element_size(place.dtype);
    switch (place.memory) {
      case Memory::input:
        return {static_cast<std::byte*>(const_cast<void*>(arrays_.inputs[place.at])), size};
      case Memory::output:
        return {static_cast<std::byte*>(arrays_.outputs[place.at]), size};
      case Memory::number:
        return {const_cast<std::byte*>(arrays_.numbers[place.at].data()), 0};
      case Memory::scratch:
        break;
    }
    return {scratch_ + place.at, 0};
  }
  Operands bound(const FusedInstruction& made) const {
    Operands operands{bound(made.to), {}};
    for (std::size_t k = 0; k < made.operands; ++k) operands.from[k] = bound(made.from[k]);
    return operands;
  }

  std::byte* address(const Bound& place, bool per_row) const {
    return place.base + (per_row ? block_.first_row : block_.first) * place.step;
  }
  std::byte* to(bool per_row) const { return address(operands_->to, per_row); }
  std::byte* from(std::size_t k, bool per_row) const { return address(operands_->from[k], per_row); }

  void execute(const FusedInstruction& made) {
    const std::int64_t count = made.per_row ? block_.rows : block_.count;
    switch (made.kind) {
      case Kind::load:
        return load(made, count);
      case Kind::call:
        return call(made, count);
      case Kind::convert:
        return convert(made, count);
      case Kind::reduce:
        return reduce(made);
      case Kind::partial:
        return reduce_part(made);
      case Kind::absorb:
        return absorb(made);
      case Kind::spread:
        break;
    }
    const std::int64_t size = element_size(made.to.dtype);
    const bool is_number = made.from[0].memory == Memory::number;
    const std::int64_t rows = is_number ? 1 : block_.rows;
    plane_kernels().copy_kernel(size)({to(made.per_row), size, count / rows * size}, {from(0, true), 0, size},
                                      count / rows, rows);
  }

  void load(const FusedInstruction& made, std::int64_t count) const {
    const Geometry& geometry = code_.gathers[made.from[0].at];
    const std::int64_t from_size = element_size(made.from[0].dtype), to_size = element_size(made.to.dtype);
    const Conversion conversion = made.conversions[0];
    std::byte* const into = to(made.per_row);
    const PlaneCopy copy = plane_kernels().copy_kernel(from_size);
    Walker walker(geometry, 0, const_cast<void*>(arrays_.inputs[made.from[0].at]),
                  made.per_row ? block_.first_row : block_.first);
    walker.advance(count,
                   [&](const std::byte* first, std::int64_t step, std::int64_t done, std::int64_t run) {
                     if (conversion == nullptr)
                       return copy({into + done * to_size, to_size, 0}, {first, step, 0}, run, 1);
                     if (step != from_size) {
                       std::byte* const gathered = scratch_ + made.between;
                       copy({gathered, from_size, 0}, {first, step, 0}, run, 1);
                       first = gathered;
                     }
                     conversion(into + done * to_size, first, run);
                   });
  }

  void call(const FusedInstruction& made, std::int64_t count) const {
    std::byte* const into = to(made.per_row);
    const void* operands[3];
    for (std::size_t k = 0; k < made.operands; ++k) {
      const bool repeated = made.repeated_per_row && static_cast<int>(k) == made.repeated;
      operands[k] = from(k, made.per_row || repeated);
    }
    if (!made.repeated_per_row) return made.block(into, made.access, operands, count);
    const auto one = static_cast<std::size_t>(made.repeated), other = 1 - one;
    const std::int64_t columns = count / block_.rows;
    for (std::int64_t r = 0; r < block_.rows; ++r) {
      const auto after = [&](std::size_t k, std::int64_t elements) {
        return static_cast<const std::byte*>(operands[k]) + elements * element_size(made.from[k].dtype);
      };
      const void* row[2];
      row[one] = after(one, r);
      row[other] = after(other, r * columns);
      made.block(into + r * columns * element_size(made.to.dtype), made.access, row, columns);
    }
  }

  void convert(const FusedInstruction& made, std::int64_t count) const {
    const std::byte* const values = from(0, made.per_row);
    std::byte* const into = to(made.per_row);
    if (made.conversions[0] == nullptr) {
      std::memcpy(into, values, static_cast<std::size_t>(count * element_size(made.to.dtype)));
    } else if (made.conversions[1] == nullptr) {
      made.conversions[0](into, values, count);
    } else {
      made.conversions[0](scratch_ + made.between, values, count);
      made.conversions[1](into, scratch_ + made.between, count);
    }
  }

  void reduce(const FusedInstruction& made) const {
    constexpr std::int64_t kAtOnce = 64;
    alignas(64) std::byte states[kAtOnce * kLargestState];
    const std::byte* const values = from(0, false);
    std::byte* const into = to(true);
    const std::int64_t columns = code_.columns;
    for (std::int64_t r = 0; r < block_.rows; r += kAtOnce) {
      const std::int64_t rows = std::min(kAtOnce, block_.rows - r);
      made.reduction->runs(states, values + r * columns * element_size(made.from[0].dtype), rows, columns,
                           columns, 0);
      made.reduction->finish(into + r * element_size(made.to.dtype), states, rows, columns);
    }
  }

  void reduce_part(const FusedInstruction& made) const {
    const std::byte* const values = from(0, false);
    const std::int64_t column = block_.first - block_.first_row * code_.columns;
    std::byte* const states =
        arrays_.states[made.at] + (block_.first_row * arrays_.parts + column / kRunPart) *
                                      static_cast<std::int64_t>(made.reduction->state_size);
    for (std::int64_t done = 0, part = 0; done < block_.count; done += kRunPart, ++part) {
      made.reduction->runs(states + part * static_cast<std::int64_t>(made.reduction->state_size),
                           values + done * element_size(made.from[0].dtype), 1, 0,
                           std::min(kRunPart, block_.count - done), column + done);
    }
  }

  void absorb(const FusedInstruction& made) const {
    const auto size = static_cast<std::int64_t>(made.reduction->state_size);
    std::byte* const states = arrays_.states[made.at] + block_.first_row / kColumnRows * code_.columns * size;
    if (block_.first_row % kColumnRows == 0) made.reduction->start(states, code_.columns);
    made.reduction->rows(states, from(0, false), block_.rows, code_.columns, code_.columns, block_.first_row);
  }

  const FusedCode& code_;
  const FusedArrays& arrays_;
  std::byte* scratch_;
  std::vector<Operands> body_;
  const Operands* operands_ = nullptr;  ///< of the instruction that is executed
  FusedBlock block_{};
};

/// The results of `count` states, of `elements` elements each.
void store_results(const LongReduction& reduction, const std::byte* states, std::int64_t count,
                   std::int64_t elements, std::byte* to) {
  const Conversion conversion = conversions()(reduction.held, reduction.result);
  if (conversion == nullptr) return reduction.blocks->finish(to, states, count, elements);
  alignas(64) std::byte values[kRunPart * 8];
  for (std::int64_t i = 0; i < count; i += kRunPart) {
    const std::int64_t some = std::min(kRunPart, count - i);
    reduction.blocks->finish(values, states + i * static_cast<std::int64_t>(reduction.blocks->state_size),
                             some, elements);
    conversion(to + i * element_size(reduction.result), values, some);
  }
}

/// In the order of kernels/cpu/reductions.cpp: within chunks of kRunParts parts, then the chunks.
void finish_rows(const LongReduction& reduction, std::byte* states, std::int64_t rows, std::int64_t parts,
                 std::int64_t columns, std::byte* output) {
  const auto size = static_cast<std::int64_t>(reduction.blocks->state_size);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::byte* const row = states + r * parts * size;
    std::int64_t chunks = 0;
    for (std::int64_t part = 0; part < parts; part += kRunParts, ++chunks) {
      merge_groups(*reduction.blocks, row + part * size, std::min(kRunParts, parts - part), 1);
      std::memmove(row + chunks * size, row + part * size, reduction.blocks->state_size);
    }
    merge_groups(*reduction.blocks, row, chunks, 1);
    store_results(reduction, row, 1, columns, output + r * element_size(reduction.result));
  }
}

class CpuFusedKernel final : public FusedKernel {
 public:
  explicit CpuFusedKernel(const FusedProgram& program)
      : code_(make_fused_code(program)), steps_(static_cast<std::int64_t>(program.steps.size())) {}

  void run(std::span<const void* const> inputs, std::span<const FusedNumber> numbers,
           std::span<void* const> outputs) const override {
    const std::int64_t parts = (code_.columns + kRunPart - 1) / kRunPart;
    const std::int64_t chunks = (code_.rows + kColumnRows - 1) / kColumnRows;
    std::vector<std::unique_ptr<std::byte[]>> memory;
    std::vector<std::byte*> states;
    for (const LongReduction& reduction : code_.long_reductions) {
      const std::int64_t count = reduction.reduces_columns ? chunks * code_.columns : code_.rows * parts;
      memory.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(count) *
                                                                   reduction.blocks->state_size));
      states.push_back(memory.back().get());
    }
    run_blocks({inputs, numbers, outputs, states, parts});
    for (std::size_t i = 0; i < states.size(); ++i) {
      const LongReduction& reduction = code_.long_reductions[i];
      auto* const output = static_cast<std::byte*>(outputs[reduction.output]);
      if (reduction.reduces_columns) {
        merge_groups(*reduction.blocks, states[i], chunks, code_.columns);
        store_results(reduction, states[i], code_.columns, code_.rows, output);
      } else {
        finish_rows(reduction, states[i], code_.rows, parts, code_.columns, output);
      }
    }
  }

 private:
  /// The block of this index.
  FusedBlock block(std::int64_t index) const {
    if (code_.block_rows > 0) {
      const std::int64_t row = index * code_.block_rows;
      const std::int64_t rows = std::min(code_.block_rows, code_.rows - row);
      return {row, rows, row * code_.columns, rows * code_.columns};
    }
    const std::int64_t per_row = (code_.columns + kFusedBlock - 1) / kFusedBlock;
    const std::int64_t row = index / per_row, column = index % per_row * kFusedBlock;
    return {row, 1, row * code_.columns + column, std::min(kFusedBlock, code_.columns - column)};
  }

  void run_blocks(const FusedArrays& arrays) const {
    const std::int64_t blocks = code_.block_rows > 0
                                    ? (code_.rows + code_.block_rows - 1) / code_.block_rows
                                    : code_.rows * ((code_.columns + kFusedBlock - 1) / kFusedBlock);
    const std::int64_t most_rows = std::max<std::int64_t>(1, code_.block_rows);
    const FusedBlock whole{
        0, most_rows, 0,
        code_.block_rows > 0 ? most_rows * code_.columns : std::min(kFusedBlock, code_.columns)};
    // Blocks whose rows the same states absorb are one thread's.
    const std::int64_t together = code_.reduces_columns ? kColumnRows / code_.block_rows : 1;
    const std::int64_t work = code_.rows * code_.columns * steps_;
    parallel_ranges((blocks + together - 1) / together, work, [&](std::int64_t begin, std::int64_t end) {
      BlockRunner runner(code_, arrays, thread_scratch(code_.scratch_bytes));
      runner.fill_constants(whole);
      const std::int64_t last = std::min(blocks, end * together) - 1;
      for (std::int64_t b = begin * together; b <= last; ++b)
        runner.run(block(b), b + kAhead <= last ? block(b + kAhead) : FusedBlock{});
      if (code_.streams) finish_streaming();
    });
  }

  FusedCode code_;
  std::int64_t steps_;
};

}  // namespace

bool has_fused() {
  return true;
}

std::unique_ptr<FusedKernel> make_fused(const FusedProgram& program) {
  return std::make_unique<CpuFusedKernel>(program);
}

}  // namespace lectern::kernels::cpu
