#include "kernels/cpu/fused_code.h"

#include <algorithm>
#include <bit>
#include <map>

#include "kernels/cpu/gradient_blocks.h"
#include "kernels/cpu/streaming.h"

namespace lectern::kernels::cpu {
namespace {

using Kind = FusedOperation::Kind;
using Source = FusedOperand::Source;
using Memory = FusedPlace::Memory;
using Instruction = FusedInstruction;

/// Offsets in the scratch memory; what is released is given again.
class ScratchSpace {
 public:
  std::size_t take(std::size_t bytes) {
    auto& known = free_[(bytes + 63) / 64 * 64];
    if (known.empty()) return take_new(bytes);
    const std::size_t at = known.back();
    known.pop_back();
    return at;
  }
  void give(std::size_t at, std::size_t bytes) { free_[(bytes + 63) / 64 * 64].push_back(at); }
  /// Never given before.
  std::size_t take_new(std::size_t bytes) {
    const std::size_t at = end_;
    end_ += (bytes + 63) / 64 * 64;
    return at;
  }
  std::size_t bytes() const { return end_; }

 private:
  std::size_t end_ = 0;
  std::map<std::size_t, std::vector<std::size_t>> free_;
};

/// Whether a walk comes by the same elements every `columns`.
bool repeats(const Geometry& geometry, std::int64_t columns) {
  auto rank = static_cast<std::size_t>(geometry.rank);
  while (rank > 0 && geometry.strides[0][rank - 1] == 0) --rank;
  std::int64_t period = 1;
  for (std::size_t d = 0; d < rank; ++d) period *= geometry.sizes[d];
  return columns % period == 0;
}

class CodeWriter {
 public:
  explicit CodeWriter(const FusedProgram& program)
      : program_(program), steps_(program.steps.size()), inputs_(program.inputs.size()) {
    const bool holds_rows =
        std::any_of(program.steps.begin(), program.steps.end(),
                    [](const FusedStep& step) { return step.shape != FusedShape::full; }) ||
        std::any_of(program.inputs.begin(), program.inputs.end(),
                    [](const FusedInput& input) { return input.per_row; });
    code_.rows = program.rows;
    code_.columns = program.columns;
    code_.block_rows = 0;
    if (holds_rows && program.columns <= kFusedRow)
      code_.block_rows = std::clamp<std::int64_t>(kFusedRows / program.columns, 1, program.rows);
    code_.reduces_columns =
        std::any_of(program.steps.begin(), program.steps.end(),
                    [](const FusedStep& step) { return step.shape == FusedShape::per_column; });
    if (code_.reduces_columns) {
      const auto rows = static_cast<std::uint64_t>(std::min(code_.block_rows, kColumnRows));
      code_.block_rows = static_cast<std::int64_t>(std::bit_floor(rows));
    }
    elements_ = code_.block_rows > 0 ? code_.block_rows * program.columns
                                     : std::min<std::int64_t>(kFusedBlock, program.columns);
    for (const FusedInput& input : program.inputs) code_.gathers.push_back(gather_geometry(input));
    find_last_uses();
  }

  FusedCode write() {
    for (now_ = 0; now_ < program_.steps.size(); ++now_) {
      write_step(program_.steps[now_]);
      for (const auto& [place, per_row] : temporary_) release(place, per_row);
      temporary_.clear();
      for (Value& value : steps_) retire(value);
      for (Value& value : inputs_) retire(value);
    }
    code_.scratch_bytes = space_.bytes();
    return std::move(code_);
  }

 private:
  struct Value {
    FusedPlace place{};
    bool exists = false;
    bool is_constant = false;  ///< its place is given to nothing else
    bool per_row = false;
    std::size_t last_use = 0;
  };

  void find_last_uses() {
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      const FusedStep& step = program_.steps[s];
      steps_[s].last_use = s;
      for (std::size_t k = 0; k < step.operands; ++k) {
        if (step.in[k].source == Source::step) steps_[step.in[k].index].last_use = s;
        if (step.in[k].source == Source::input) inputs_[step.in[k].index].last_use = s;
      }
    }
  }

  std::size_t bytes(Dtype dtype, bool per_row) const {
    const std::int64_t count = per_row ? std::max<std::int64_t>(1, code_.block_rows) : elements_;
    return static_cast<std::size_t>(count * element_size(dtype));
  }
  FusedPlace take(Dtype dtype, bool per_row) {
    return {Memory::scratch, dtype, space_.take(bytes(dtype, per_row))};
  }
  FusedPlace take_temporary(Dtype dtype, bool per_row) {
    temporary_.emplace_back(take(dtype, per_row), per_row);
    return temporary_.back().first;
  }
  void release(const FusedPlace& place, bool per_row) {
    if (place.memory == Memory::scratch) space_.give(place.at, bytes(place.dtype, per_row));
  }
  void retire(Value& value) {
    if (!value.exists || value.is_constant || value.last_use > now_) return;
    release(value.place, value.per_row);
    value.exists = false;
  }

  void convert(const FusedPlace& from, const FusedPlace& to, bool per_row, Dtype through) {
    Instruction made{.kind = Instruction::Kind::convert, .per_row = per_row, .to = to};
    made.from[0] = from;
    if (through == from.dtype || through == to.dtype) {
      made.conversions[0] = conversions()(from.dtype, to.dtype);
    } else {
      made.conversions = {conversions()(from.dtype, through), conversions()(through, to.dtype)};
      made.between = take_temporary(through, per_row).at;
    }
    code_.body.push_back(made);
  }

  Value& loaded(std::size_t index) {
    Value& value = inputs_[index];
    if (value.exists) return value;
    const FusedInput& input = program_.inputs[index];
    const Dtype held = held_dtype(input.dtype);
    value.exists = true;
    value.per_row = input.per_row;
    if (held == input.dtype && is_packed_geometry(code_.gathers[index], held)) {
      value.place = {Memory::input, held, index};
      if (!input.per_row) code_.read_in_place.push_back(value.place);
      return value;
    }
    value.is_constant =
        code_.block_rows > 0 && !input.per_row && repeats(code_.gathers[index], program_.columns);
    value.place = value.is_constant ? FusedPlace{Memory::scratch, held, space_.take_new(bytes(held, false))}
                                    : take(held, input.per_row);
    Instruction made{.kind = Instruction::Kind::load, .per_row = input.per_row, .to = value.place};
    made.from[0] = {Memory::input, input.dtype, index};
    made.conversions[0] = conversions()(input.dtype, held);
    if (made.conversions[0] != nullptr) made.between = take_temporary(input.dtype, input.per_row).at;
    (value.is_constant ? code_.constants : code_.body).push_back(made);
    return value;
  }

  /// An operand in the type that an operation of dtype `common` computes in.
  std::pair<FusedPlace, bool> operand(const FusedOperand& source, Dtype common) {
    if (source.source == Source::number)
      return {{Memory::number, program_.numbers[source.index], source.index}, true};
    const bool is_input = source.source == Source::input;
    const Value value = is_input ? loaded(source.index) : steps_[source.index];
    const Dtype dtype =
        is_input ? program_.inputs[source.index].dtype : program_.steps[source.index].operation.result;
    const Dtype needed = compute_dtype(common);
    const bool widens =
        is_floating_point(dtype) == is_floating_point(common) && element_size(dtype) < element_size(common);
    const bool rounds = common != needed && dtype != common && !widens;
    if (value.place.dtype == needed && !rounds) return {value.place, value.per_row};
    const FusedPlace converted = take_temporary(needed, value.per_row);
    convert(value.place, converted, value.per_row, rounds ? common : needed);
    return {converted, value.per_row};
  }

  /// One element of a number or of each row, at every position.
  FusedPlace spread(const FusedPlace& one, bool per_row) {
    if (one.memory == Memory::number) {
      auto [known, is_new] = constants_.try_emplace({one.at, per_row});
      if (is_new) {
        known->second = {Memory::scratch, one.dtype, space_.take_new(bytes(one.dtype, per_row))};
        Instruction made{.kind = Instruction::Kind::spread, .per_row = per_row, .to = known->second};
        made.from[0] = one;
        code_.constants.push_back(made);
      }
      return known->second;
    }
    Instruction made{.kind = Instruction::Kind::spread, .to = take_temporary(one.dtype, false)};
    made.from[0] = one;
    code_.body.push_back(made);
    return made.to;
  }

  BinaryBlocks blocks_of(const FusedOperation& operation) const {
    const std::size_t code = operation.code, type = compute_index(operation.common);
    switch (operation.kind) {
      case Kind::unary:
        return {element_blocks().unary[code][type], {}};
      case Kind::binary:
        return element_blocks().binary[code][type];
      case Kind::ternary:
        return {element_blocks().ternary[code][type], {}};
      case Kind::unary_gradient:
        return {gradient_blocks().unary[code][type], {}};
      default:
        return {gradient_blocks().binary[code][static_cast<std::size_t>(operation.side)][type], {}};
    }
  }

  static bool is_predicate(const FusedOperation& operation) {
    return (operation.kind == Kind::unary && kIsUnaryPredicate[operation.code]) ||
           (operation.kind == Kind::binary && kIsBinaryPredicate[operation.code]);
  }

  /// The operation on operands of a block, of which one may repeat an element.
  Instruction call(const FusedStep& step) {
    constexpr std::int64_t kShortRow = 64;
    const BinaryBlocks blocks = blocks_of(step.operation);
    Instruction made{.kind = Instruction::Kind::call, .per_row = step.per_row()};
    made.operands = step.operands;
    made.block = blocks.each;
    std::array<bool, 3> is_single{};
    for (std::size_t k = 0; k < step.operands; ++k) {
      const auto [place, per_row] = operand(step.in[k], step.operation.common);
      made.from[k] = place;
      is_single[k] = place.memory == Memory::number || (per_row && !step.per_row());
    }
    const auto repeats = [&](std::size_t k) {
      const bool is_number = made.from[k].memory == Memory::number;
      return is_single[k] && blocks.repeats[k] != nullptr &&
             (is_number || (code_.columns >= kShortRow && !is_single[1 - k]));
    };
    if (step.operation.kind == Kind::binary) made.repeated = repeats(0) ? 0 : repeats(1) ? 1 : -1;
    for (std::size_t k = 0; k < step.operands; ++k) {
      if (!is_single[k]) continue;
      if (made.repeated == static_cast<int>(k)) {
        made.block = blocks.repeats[k];
        made.repeated_per_row = made.from[k].memory != Memory::number;
      } else {
        made.from[k] = spread(made.from[k], step.per_row());
      }
    }
    return made;
  }

  void write_step(const FusedStep& step) {
    const FusedOperation& operation = step.operation;
    if (operation.kind == Kind::reduction) return write_reduction(step);
    if (operation.kind == Kind::convert) {
      const bool is_input = step.in[0].source == Source::input;
      const Value from = is_input ? loaded(step.in[0].index) : steps_[step.in[0].index];
      FusedPlace place = from.place;
      if (from.per_row && !step.per_row()) place = spread(place, false);
      return finish(step, place, nullptr);
    }
    Instruction made = call(step);
    const Dtype given = is_predicate(operation) ? bool_ : compute_dtype(operation.common);
    give_up_operands(step, given);
    finish(step, {Memory::scratch, given, 0}, &made);
  }

  /// A call may overwrite the operands that nothing reads again: less to hold in the cache.
  void give_up_operands(const FusedStep& step, Dtype given) {
    for (std::size_t k = 0; k < step.operands; ++k) {
      if (step.in[k].source == Source::number) continue;
      Value& value = (step.in[k].source == Source::step ? steps_ : inputs_)[step.in[k].index];
      const bool is_alike =
          value.per_row == step.per_row() && element_size(value.place.dtype) == element_size(given);
      if (is_alike && value.place.memory == Memory::scratch) retire(value);
    }
  }

  void write_reduction(const FusedStep& step) {
    const FusedOperation& operation = step.operation;
    const Dtype held = compute_dtype(operation.common);
    Instruction made{.kind = Instruction::Kind::reduce, .per_row = true};
    const auto [place, per_row] = operand(step.in[0], held);  // elements are not rounded, as when it is eager
    made.from[0] = per_row ? spread(place, false) : place;
    made.reduction = &reduction_kernels().table[operation.code][compute_index(operation.common)];
    const bool of_columns = step.shape == FusedShape::per_column;
    if (code_.block_rows > 0 && !of_columns) return finish(step, {Memory::scratch, held, 0}, &made);
    made.kind = of_columns ? Instruction::Kind::absorb : Instruction::Kind::partial;
    made.at = code_.long_reductions.size();
    code_.long_reductions.push_back(
        {made.reduction, of_columns, held, operation.result, static_cast<std::size_t>(step.output)});
    code_.body.push_back(made);
  }

  /// Rounds and stores the result of `made`, or of a conversion what is at `raw`.
  void finish(const FusedStep& step, const FusedPlace& raw, Instruction* made) {
    const Dtype result = step.operation.result, held = held_dtype(result);
    const bool is_rounded = result != held;
    const bool is_direct = step.output >= 0 && !is_rounded;
    Value& value = steps_[now_];
    value.exists = true;
    value.per_row = step.per_row();
    value.place = is_direct ? FusedPlace{Memory::output, held, static_cast<std::size_t>(step.output)}
                            : take(held, step.per_row());
    if (made == nullptr) {
      convert(raw, value.place, step.per_row(), is_rounded ? result : held);
    } else {
      const bool converts = raw.dtype != held || is_rounded;
      made->to = converts ? take_temporary(raw.dtype, step.per_row()) : value.place;
      const std::int64_t size = code_.rows * (step.per_row() ? 1 : code_.columns) * element_size(held);
      if (made->kind == Instruction::Kind::call && is_direct && !converts && value.last_use == now_) {
        made->access = choose_access(size, false);
      }
      code_.streams = code_.streams || made->access == Access::streamed;
      code_.body.push_back(*made);
      if (converts) convert(made->to, value.place, step.per_row(), is_rounded ? result : held);
    }
    if (step.output >= 0 && !is_direct)
      convert(value.place, {Memory::output, result, static_cast<std::size_t>(step.output)}, step.per_row(),
              result);
  }

  const FusedProgram& program_;
  FusedCode code_;
  std::int64_t elements_;  ///< of a block
  std::vector<Value> steps_, inputs_;
  std::vector<std::pair<FusedPlace, bool>> temporary_;
  std::map<std::pair<std::size_t, bool>, FusedPlace> constants_;
  ScratchSpace space_;
  std::size_t now_ = 0;
};

}  // namespace

FusedCode make_fused_code(const FusedProgram& program) {
  return CodeWriter(program).write();
}

}  // namespace lectern::kernels::cpu
