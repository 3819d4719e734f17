#include "kernels/cuda/fused_source.h"

#include <algorithm>
#include <vector>

#include "kernels/cuda/fused_expressions.h"
#include "kernels/cuda/fused_names.h"
#include "kernels/cuda/fused_schedule.h"
#include "kernels/cuda/grid.h"

namespace lectern::kernels::cuda {
namespace {

using Kind = FusedOperation::Kind;
using Origin = FusedOperand::Source;
using Shape = FusedShape;
using std::to_string;

class SourceWriter {
 public:
  SourceWriter(const FusedProgram& program, int pack)
      : program_(program),
        schedule_(program),
        way_(schedule_.way()),
        text_(program, way_ == Way::elements),
        pack_(pack) {}

  FusedSource write() {
    source_.text =
        "#include LECTERN_RUNTIME_ENTRY_HEADER\n"
        "#include \"kernels/cuda/fused_kernel.h\"\n\n"
        "namespace lectern::kernels::cuda::fused {\n\n";
    line("using Index = " + std::string(text_.takes_32_bits() ? "std::uint32_t" : "std::int64_t") + ";");
    line("constexpr std::int64_t kRows = " + to_string(program_.rows) +
         ", kColumns = " + to_string(program_.columns) + ", kParts = " + to_string(schedule_.parts()) + ";");
    line("constexpr int kPack = " + to_string(pack_) + ";\n");
    write_fields();
    write_program();
    if (schedule_.parts() > 0) write_merge();
    line("\n}  // namespace lectern::kernels::cuda::fused\n");
    enter("Program", source_.program);
    if (schedule_.parts() > 0) enter("Merge", source_.merge);
    return std::move(source_);
  }

 private:
  using Way = FusedSchedule::Way;
  /// The loop over a row in which outputs are stored, and what is merged later is reduced.
  static constexpr int kStore = -1;

  void line(const std::string& text) { source_.text.append(text).append("\n"); }
  void enter(const std::string& name, const FusedSource::Launch& launch) {
    line("LECTERN_RUNTIME_KERNEL(" + name + ", lectern::kernels::cuda::fused::" + name + ", " +
         to_string(launch.threads) + ")");
  }
  const FusedStep& at(std::size_t step) const { return program_.steps[step]; }
  void write_fields() {
    line("struct Fields {");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i)
      line("  const " + type_name(program_.inputs[i].dtype) + "* in" + to_string(i) + ";");
    for (std::size_t n = 0; n < program_.numbers.size(); ++n)
      line("  std::uint64_t number" + to_string(n) + ";");
    for (std::size_t o = 0; o < program_.outputs; ++o)
      line("  " + type_name(at(step_of_output(o)).operation.result) + "* out" + to_string(o) + ";");
    line("  std::byte* workspace;\n");
    for (const std::size_t s : schedule_.merged()) {
      const FusedOperation& operation = at(s).operation;
      line("  LECTERN_HD auto* states_of" + to_string(s) +
           "() const {\n    return reinterpret_cast<typename " + functor_name(operation) +
           "::State*>(workspace + " + to_string(source_.state_bytes) + ");\n  }");
      constexpr std::int64_t kAligned = 16;
      const std::int64_t bytes = schedule_.states() * state_bytes(operation);
      source_.state_bytes += static_cast<std::size_t>((bytes + kAligned - 1) / kAligned * kAligned);
    }
    line("};\n");
    line("/// What belongs to a row.");
    line("struct Row {\n  std::int64_t index, part;\n  bool is_first;");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].per_row)
        line("  " + type_name(program_.inputs[i].dtype) + " i" + to_string(i) + ";");
    }
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (!at(s).per_row() || schedule_.is_merged(s)) continue;
      line("  " + type_name(at(s).operation.result) + " s" + to_string(s) + ";");
      if (schedule_.is_row_reduction(s) && has_pivot(at(s).operation))
        line("  " + compute_type_name(at(s).operation.common) + " pivot" + to_string(s) + ";");
    }
    line("};\n");
  }
  std::size_t step_of_output(std::size_t output) const {
    std::size_t s = 0;
    while (at(s).output != static_cast<std::int16_t>(output)) ++s;
    return s;
  }

  /// The steps of full shape, and the inputs, that these need.
  struct Needed {
    std::vector<bool> steps, inputs;
  };
  void need(Needed& needed, const FusedOperand& operand) const {
    if (operand.source == Origin::input) needed.inputs[operand.index] = true;
    if (operand.source == Origin::step && at(operand.index).shape == Shape::full) need(needed, operand.index);
  }
  void need(Needed& needed, std::size_t step) const {
    if (needed.steps[step]) return;
    needed.steps[step] = true;
    for (std::size_t k = 0; k < at(step).operands; ++k) need(needed, at(step).in[k]);
  }

  /// A function that visits neighbours of a row: reductions of it absorb them, and outputs are stored.
  void write_loop(int loop, const std::vector<std::size_t>& reductions) {
    const std::string name = loop_name(loop);
    Needed needed{std::vector<bool>(program_.steps.size()), std::vector<bool>(program_.inputs.size())};
    std::vector<std::size_t> outputs;
    for (const std::size_t s : reductions) need(needed, at(s).in[0]);
    for (std::size_t s = 0; loop == kStore && s < program_.steps.size(); ++s) {
      if (at(s).shape != Shape::full || at(s).output < 0) continue;
      outputs.push_back(s);
      need(needed, s);
    }
    line("  struct States_" + name + " {");
    for (const std::size_t s : reductions) write_state(s, loop);
    line("  };");
    line("  template <int kCount>\n  LECTERN_HD void " + name +
         "(std::int64_t column, const Row& row, States_" + name + "& states) const {");
    line("    const Index first = static_cast<Index>(row.index * kColumns + column);");
    write_numbers("    ");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const std::string number = to_string(i);
      if (needed.inputs[i] && text_.is_dense(i))
        line("    const auto p" + number + " = read_fused<kCount>(in" + number + " + first);");
    }
    for (const std::size_t s : outputs)
      line("    FusedPack<" + type_name(at(s).operation.result) + ", kCount> o" + to_string(at(s).output) +
           ";");
    line("    LECTERN_UNROLLED\n    for (int j = 0; j < kCount; ++j) {");
    line("      [[maybe_unused]] const Index e = first + static_cast<Index>(j);");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (needed.inputs[i]) write_input(i);
    }
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (needed.steps[s])
        line("      const " + type_name(at(s).operation.result) + " s" + to_string(s) + " = " +
             text_.expression(at(s)) + ";");
    }
    for (const std::size_t s : reductions) write_absorb(s, loop);
    for (const std::size_t s : outputs)
      line("      o" + to_string(at(s).output) + ".value[j] = s" + to_string(s) + ";");
    line("    }");
    for (const std::size_t s : outputs) {
      const std::string number = to_string(at(s).output);
      line("    write_fused(out" + number + " + first, o" + number + ");");
    }
    line("  }\n");
  }
  void write_numbers(const std::string& indent) {
    for (std::size_t n = 0; n < program_.numbers.size(); ++n) {
      const std::string number = to_string(n);
      line(indent + "[[maybe_unused]] const auto n" + number + " = fused_number<" +
           type_name(program_.numbers[n]) + ">(number" + number + ");");
    }
  }
  void write_input(std::size_t i) {
    const std::string number = to_string(i);
    if (program_.inputs[i].per_row && way_ != Way::elements) return;
    std::string read = "p" + number + ".value[j]";
    if (program_.inputs[i].per_row) {
      read = "in" + number + "[" + text_.offset(i, "(e / Index(kColumns))") + "]";
    } else if (!text_.is_dense(i)) {
      read = "in" + number + "[" + text_.offset(i, "e") + "]";
    }
    line("      const " + type_name(program_.inputs[i].dtype) + " i" + number + " = " + read + ";");
  }

  /// In a loop a reduction with a pivot has the state of that first, then sums of terms.
  static std::string loop_name(int loop) { return loop == kStore ? "store" : "reduce" + to_string(loop); }
  std::string functor_in(std::size_t s, int loop) const {
    const std::string functor = functor_name(at(s).operation);
    if (schedule_.is_pivot_loop(s, loop)) return functor + "::Pivot";
    if (schedule_.is_term_loop(s, loop)) return "FusedTerms<" + functor + ">";
    return functor;
  }
  void write_state(std::size_t s, int loop) {
    if (at(s).shape == Shape::per_column) return;
    const std::string functor = functor_in(s, loop);
    line("    typename " + functor + "::State r" + to_string(s) + " = " + functor + "::start();");
  }
  void write_absorb(std::size_t s, int loop) {
    const std::string number = to_string(s), functor = functor_in(s, loop);
    const std::string absorbs = text_.absorbed(at(s));
    if (schedule_.is_term_loop(s, loop)) {
      line("      states.r" + number + " = " + functor + "::absorb(states.r" + number + ", row.pivot" +
           number + ", " + absorbs + ");");
    } else if (at(s).shape == Shape::per_column) {
      line("      auto& r" + number + " = states_of" + number + "()[row.part * kColumns + column + j];");
      line("      r" + number + " = " + functor + "::absorb(row.is_first ? " + functor + "::start() : r" +
           number + ", " + absorbs + ", row.index);");
    } else {
      line("      states.r" + number + " = " + functor + "::absorb(states.r" + number + ", " + absorbs +
           ", column + j);");
    }
  }

  void write_program() {
    const std::vector<std::size_t> merged = schedule_.merged();
    line("struct Program : Fields {");
    for (int loop = 0; loop < schedule_.loops(); ++loop) write_loop(loop, schedule_.reductions_of(loop));
    write_loop(kStore, merged);
    line(
        "  template <typename Group>\n"
        "  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {");
    switch (way_) {
      case Way::elements:
        write_elements();
        break;
      case Way::rows:
        source_.program = {program_.columns <= kWarpRow ? kWarpThreads : kBlockThreads, program_.rows};
        line("    Row row{};\n    row.index = index;");
        write_row("    ");
        break;
      case Way::parts:
        write_parts(merged);
        break;
      case Way::columns:
        source_.program = {kBlockThreads, schedule_.parts()};
        line("    const std::int64_t begin = index * kRows / kParts, end = (index + 1) * kRows / kParts;");
        line("    for (std::int64_t r = begin; r < end; ++r) {");
        line(
            "      Row row{};\n      row.index = r;\n      row.part = index;\n      row.is_first = r == "
            "begin;");
        write_row("      ");
        line("    }");
    }
    line("  }\n};");
  }
  void write_elements() {
    const std::int64_t elements = program_.rows * program_.columns, packs = elements / pack_;
    const std::int64_t threads = packs + elements % pack_;
    source_.program = {kBlockThreads, (threads + kBlockThreads - 1) / kBlockThreads};
    line("    constexpr std::int64_t kPacks = " + to_string(packs) + ";");
    line("    const std::int64_t thread = index * group.size() + group.rank();");
    line("    const Row row{};\n    States_store states{};");
    line("    if (thread < kPacks) return store<kPack>(thread * kPack, row, states);");
    line("    const std::int64_t rest = kPacks * kPack + thread - kPacks;");
    line("    if (rest < kRows * kColumns) store<1>(rest, row, states);");
  }

  void write_visits(const std::string& indent, int loop, const std::string& columns = "0, kColumns") {
    const std::string name = loop_name(loop);
    line(indent + "States_" + name + " states_" + name + "{};");
    line(indent + "for_fused_columns<kPack>(group, " + columns + ", [&]<int kCount>(std::int64_t column) {");
    line(indent + "  this->template " + name + "<kCount>(column, row, states_" + name + ");");
    line(indent + "});");
  }

  /// All that is computed of a row.
  void write_row(const std::string& indent) {
    write_numbers(indent);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      const std::string number = to_string(i);
      if (program_.inputs[i].per_row)
        line(indent + "row.i" + number + " = in" + number + "[" +
             text_.offset(i, "static_cast<Index>(row.index)") + "];");
    }
    for (int loop = 0; loop <= schedule_.loops(); ++loop) {
      for (std::size_t s = 0; s < program_.steps.size(); ++s) {
        if (at(s).per_row() && !is_reduction(at(s)) && schedule_.available(s) == loop)
          line(indent + "row.s" + to_string(s) + " = " + text_.expression(at(s)) + ";");
      }
      if (loop == schedule_.loops()) break;
      write_visits(indent, loop);
      for (const std::size_t s : schedule_.reductions_of(loop)) write_reduced(indent, s, loop);
    }
    const bool stores = way_ == Way::columns ||
                        std::any_of(program_.steps.begin(), program_.steps.end(),
                                    [](auto& step) { return step.shape == Shape::full && step.output >= 0; });
    if (stores) write_visits(indent, kStore);
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (at(s).per_row() && at(s).output >= 0)
        line(indent + "if (group.rank() == 0) out" + to_string(at(s).output) + "[row.index] = row.s" +
             to_string(s) + ";");
    }
  }
  void write_reduced(const std::string& indent, std::size_t s, int loop) {
    const std::string number = to_string(s), functor = functor_in(s, loop);
    const std::string state =
        "group.reduce(states_" + loop_name(loop) + ".r" + number + ", FusedMerge<" + functor + ">{})";
    if (schedule_.is_pivot_loop(s, loop)) {
      line(indent + "row.pivot" + number + " = " + functor + "::finish(" + state + ", kColumns);");
      return;
    }
    const std::string pivot = schedule_.is_term_loop(s, loop) ? "row.pivot" + number + ", " : "";
    line(indent + "row.s" + number + " = " +
         text_.result(at(s), functor + "::finish(" + pivot + state + ", kColumns)") + ";");
  }

  void write_parts(const std::vector<std::size_t>& merged) {
    source_.program = {kBlockThreads, program_.rows * schedule_.parts()};
    line("    Row row{};\n    row.index = index / kParts;");
    line("    const std::int64_t begin = index % kParts * " + to_string(FusedSchedule::kPartColumns) +
         ", rest = kColumns - begin;");
    line("    const std::int64_t end = begin + (rest < " + to_string(FusedSchedule::kPartColumns) +
         " ? rest : " + to_string(FusedSchedule::kPartColumns) + ");");
    write_visits("    ", kStore, "begin, end");
    for (const std::size_t s : merged) {
      const std::string number = to_string(s);
      line("    const auto state" + number + " = group.reduce(states_store.r" + number + ", FusedMerge<" +
           functor_name(at(s).operation) + ">{});");
      line("    if (group.rank() == 0) states_of" + number + "()[index] = state" + number + ";");
    }
  }

  void write_merge() {
    const bool of_rows = way_ == Way::parts;
    const std::vector<std::size_t> merged = schedule_.merged();
    line("\nstruct Merge : Fields {");
    line(
        "  template <typename Group>\n"
        "  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {");
    if (of_rows) {
      constexpr std::int64_t kManyParts = 64;
      source_.merge = {schedule_.parts() > kManyParts ? kBlockThreads : kWarpThreads, program_.rows};
    } else {
      source_.merge = {kBlockThreads, (program_.columns + kBlockThreads - 1) / kBlockThreads};
      line("    const std::int64_t column = index * group.size() + group.rank();");
      line("    if (column >= kColumns) return;");
    }
    for (const std::size_t s : schedule_.merged()) {
      const FusedStep& step = at(s);
      const std::string functor = functor_name(step.operation), state = "state" + to_string(s);
      const std::string states = "states_of" + to_string(s) + "()";
      std::string writes = "    ";
      if (of_rows) {
        line("    const auto " + state + " = merged_parts<" + functor + ">(group, " + states +
             " + index * kParts, kParts);");
        writes += "if (group.rank() == 0) ";
      } else {
        line("    auto " + state + " = " + states + "[column];");
        line("    for (std::int64_t part = 1; part < kParts; ++part)");
        line("      " + state + " = " + functor + "::merge(" + state + ", " + states +
             "[part * kColumns + column]);");
      }
      line(writes + "out" + to_string(step.output) + "[" + (of_rows ? "index" : "column") + "] = " +
           text_.result(step, functor + "::finish(" + state + ", " + (of_rows ? "kColumns" : "kRows") + ")") +
           ";");
    }
    line("  }\n};");
  }

  const FusedProgram& program_;
  FusedSchedule schedule_;
  Way way_;
  FusedExpressions text_;
  int pack_;
  FusedSource source_;
};

}  // namespace

int fused_pack(const FusedProgram& program) {
  constexpr int kMost = 8;
  std::int64_t size = 2;
  for (const FusedInput& input : program.inputs) {
    if (!input.per_row && is_packed_geometry(gather_geometry(input), input.dtype))
      size = std::max(size, element_size(input.dtype));
  }
  for (const FusedStep& step : program.steps) {
    if (step.output >= 0 && step.shape == Shape::full)
      size = std::max(size, element_size(step.operation.result));
  }
  int pack = std::min(kMost, static_cast<int>(16 / size));
  // Long programs are compiled for seconds otherwise, and wait for arithmetic.
  constexpr std::size_t kMostStatements = 128;
  while (pack > 1 && program.steps.size() * static_cast<std::size_t>(pack) > kMostStatements) pack /= 2;
  while (program.rows > 1 && program.columns % pack != 0) pack /= 2;
  return pack;
}

FusedSource write_fused_source(const FusedProgram& program, int pack) {
  return SourceWriter(program, pack).write();
}

}  // namespace lectern::kernels::cuda
