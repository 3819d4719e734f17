#include "kernels/cuda/fused_source.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/cuda/fused_expressions.h"
#include "kernels/cuda/fused_names.h"
#include "kernels/cuda/fused_schedule.h"
#include "kernels/cuda/grid.h"

namespace lectern::kernels::cuda {
namespace {

using Origin = FusedOperand::Source;
using Shape = FusedShape;

class SourceWriter {
 public:
  SourceWriter(const FusedProgram& program, int pack)
      : program_(program),
        schedule_(program, pack),
        mapping_(schedule_.mapping()),
        text_(program, mapping_ == Mapping::elements),
        pack_(pack) {}

  FusedSource write() {
    raw(R"(#include LECTERN_RUNTIME_ENTRY_HEADER
#include "kernels/cuda/fused_kernel.h"

namespace lectern::kernels::cuda::fused {
)");
    line("using Index = {};", text_.takes_32_bits() ? "std::uint32_t" : "std::int64_t");
    line("constexpr std::int64_t kRows = {}, kColumns = {}, kParts = {};", program_.rows, program_.columns,
         schedule_.parts());
    line("constexpr int kPack = {};\n", pack_);
    write_fields();
    write_row_values();
    write_program();
    if (schedule_.parts() > 0) write_merge();
    raw("\n}  // namespace lectern::kernels::cuda::fused\n");
    enter("Program", source_.program);
    if (schedule_.parts() > 0) enter("Merge", source_.merge);
    return std::move(source_);
  }

 private:
  using Mapping = FusedSchedule::Mapping;
  /// The loop over a row in which outputs are stored, and what is merged later is reduced.
  static constexpr int kStore = -1;

  void raw(std::string_view text) { source_.text.append(text).append("\n"); }
  template <typename... Values>
  void line(fmt::format_string<Values...> text, Values&&... values) {
    fmt::format_to(std::back_inserter(source_.text), text, std::forward<Values>(values)...);
    source_.text += '\n';
  }
  void enter(const char* name, const FusedSource::Launch& launch) {
    line("LECTERN_RUNTIME_KERNEL({0}, lectern::kernels::cuda::fused::{0}, {1})", name, launch.threads);
  }
  const FusedStep& at(std::size_t step) const { return program_.steps[step]; }
  std::string result_type(std::size_t step) const { return type_name(at(step).operation.result); }

  void write_fields() {
    raw("struct Fields {");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i)
      line("  const {}* in{};", type_name(program_.inputs[i].dtype), i);
    for (std::size_t n = 0; n < program_.numbers.size(); ++n) line("  std::uint64_t number{};", n);
    for (std::size_t o = 0; o < program_.outputs; ++o)
      line("  {}* out{};", result_type(step_of_output(o)), o);
    raw("  std::byte* workspace;\n");
    for (const std::size_t s : schedule_.merged()) {
      const FusedOperation& operation = at(s).operation;
      line("  LECTERN_HD auto* states_of{}() const {{", s);
      line("    return reinterpret_cast<typename {}::State*>(workspace + {});\n  }}", functor_name(operation),
           source_.state_bytes);
      constexpr std::int64_t kAligned = 16;
      const std::int64_t bytes = schedule_.results() * schedule_.parts() * state_bytes(operation);
      source_.state_bytes += static_cast<std::size_t>((bytes + kAligned - 1) / kAligned * kAligned);
    }
    raw("};\n");
  }
  std::size_t step_of_output(std::size_t output) const {
    std::size_t s = 0;
    while (at(s).output != static_cast<std::int16_t>(output)) ++s;
    return s;
  }
  void write_row_values() {
    raw("/// What belongs to a row.\nstruct Row {\n  std::int64_t index;");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].per_row) line("  {} i{};", type_name(program_.inputs[i].dtype), i);
    }
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (!at(s).per_row() || schedule_.is_merged(s)) continue;
      line("  {} s{};", result_type(s), s);
      if (schedule_.is_row_reduction(s) && has_pivot(at(s).operation))
        line("  {} pivot{};", compute_type_name(at(s).operation.common), s);
    }
    raw("};\n");
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
  std::vector<std::size_t> outputs_of(int loop) const {
    std::vector<std::size_t> outputs;
    for (std::size_t s = 0; loop == kStore && s < program_.steps.size(); ++s) {
      if (at(s).shape == Shape::full && at(s).output >= 0) outputs.push_back(s);
    }
    return outputs;
  }

  /// A function that visits neighbours of a row: reductions of it absorb them, and outputs are stored.
  void write_loop(int loop, const std::vector<std::size_t>& reductions) {
    const std::string name = loop_name(loop);
    Needed needed{std::vector<bool>(program_.steps.size()), std::vector<bool>(program_.inputs.size())};
    const std::vector<std::size_t> outputs = outputs_of(loop);
    for (const std::size_t s : reductions) need(needed, at(s).in[0]);
    for (const std::size_t s : outputs) need(needed, s);
    line("  struct States_{} {{", name);
    for (const std::size_t s : reductions) write_state(s, loop);
    if (mapping_ == Mapping::columns && loop == kStore) write_starts(reductions);
    raw("  };\n  template <int kCount>");
    line("  LECTERN_HD void {0}(std::int64_t column, const Row& row, States_{0}& states) const {{", name);
    raw("    const Index first = static_cast<Index>(row.index * kColumns + column);");
    write_numbers("    ");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (needed.inputs[i] && text_.is_dense(i))
        line("    const auto p{0} = read_fused<kCount>(in{0} + first);", i);
    }
    for (const std::size_t s : outputs) line("    FusedPack<{}, kCount> o{};", result_type(s), at(s).output);
    raw("    LECTERN_UNROLLED\n    for (int j = 0; j < kCount; ++j) {");
    raw("      [[maybe_unused]] const Index e = first + static_cast<Index>(j);");
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (needed.inputs[i]) write_input(i);
    }
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (needed.steps[s]) line("      const {} s{} = {};", result_type(s), s, text_.expression(at(s)));
    }
    for (const std::size_t s : reductions) write_absorb(s, loop);
    for (const std::size_t s : outputs) line("      o{}.value[j] = s{};", at(s).output, s);
    raw("    }");
    for (const std::size_t s : outputs) line("    write_fused(out{0} + first, o{0});", at(s).output);
    raw("  }\n");
  }
  void write_numbers(std::string_view indent) {
    for (std::size_t n = 0; n < program_.numbers.size(); ++n)
      line("{0}[[maybe_unused]] const auto n{1} = fused_number<{2}>(number{1});", indent, n,
           type_name(program_.numbers[n]));
  }
  void write_input(std::size_t i) {
    const FusedInput& input = program_.inputs[i];
    if (input.per_row && mapping_ != Mapping::elements) return;
    const std::string read = text_.is_dense(i) ? fmt::format("p{}.value[j]", i)
                             : input.per_row
                                 ? fmt::format("in{}[{}]", i, text_.offset(i, "(e / Index(kColumns))"))
                                 : fmt::format("in{}[{}]", i, text_.offset(i, "e"));
    line("      const {} i{} = {};", type_name(input.dtype), i, read);
  }

  static std::string loop_name(int loop) { return loop == kStore ? "store" : fmt::format("reduce{}", loop); }
  /// In a loop a reduction with a pivot has the state of that first, then sums of terms.
  std::string functor_in(std::size_t s, int loop) const {
    const std::string functor = functor_name(at(s).operation);
    if (schedule_.is_pivot_loop(s, loop)) return functor + "::Pivot";
    return schedule_.is_term_loop(s, loop) ? fmt::format("FusedTerms<{}>", functor) : functor;
  }
  void write_state(std::size_t s, int loop) {
    if (at(s).shape == Shape::per_column) {
      line("    typename {}::State r{}[kPack];", functor_in(s, loop), s);
    } else {
      line("    typename {0}::State r{1} = {0}::start();", functor_in(s, loop), s);
    }
  }
  void write_starts(const std::vector<std::size_t>& reductions) {
    raw("    LECTERN_HD States_store() {\n      LECTERN_UNROLLED\n      for (int j = 0; j < kPack; ++j) {");
    for (const std::size_t s : reductions) line("        r{}[j] = {}::start();", s, functor_in(s, kStore));
    raw("      }\n    }");
  }
  void write_absorb(std::size_t s, int loop) {
    const std::string functor = functor_in(s, loop), absorbed = text_.absorbed(at(s));
    if (schedule_.is_term_loop(s, loop)) {
      line("      states.r{0} = {1}::absorb(states.r{0}, row.pivot{0}, {2});", s, functor, absorbed);
    } else if (at(s).shape == Shape::per_column) {
      line("      states.r{0}[j] = {1}::absorb(states.r{0}[j], {2}, row.index);", s, functor, absorbed);
    } else {
      line("      states.r{0} = {1}::absorb(states.r{0}, {2}, column + j);", s, functor, absorbed);
    }
  }

  void write_program() {
    const std::vector<std::size_t> merged = schedule_.merged();
    raw("struct Program : Fields {");
    for (int loop = 0; loop < schedule_.loops(); ++loop) write_loop(loop, schedule_.reductions_of(loop));
    write_loop(kStore, merged);
    begin_operator();
    switch (mapping_) {
      case Mapping::elements:
        write_elements();
        break;
      case Mapping::rows:
        source_.program = {schedule_.threads(), program_.rows};
        raw("    Row row{};\n    row.index = index;");
        write_row("    ");
        break;
      case Mapping::parts:
        write_parts(merged);
        break;
      case Mapping::columns:
        write_columns(merged);
    }
    raw("  }\n};");
  }
  void begin_operator() {
    raw("  template <typename Group>");
    raw("  LECTERN_HD void operator()(const Group& group, std::int64_t index) const {");
  }
  void write_elements() {
    const std::int64_t elements = program_.rows * program_.columns, packs = elements / pack_;
    const std::int64_t threads = packs + elements % pack_;
    source_.program = {kBlockThreads, (threads + kBlockThreads - 1) / kBlockThreads};
    line("    constexpr std::int64_t kPacks = {};", packs);
    raw(R"(    const std::int64_t thread = index * group.size() + group.rank();
    const Row row{};
    States_store states{};
    if (thread < kPacks) return store<kPack>(thread * kPack, row, states);
    const std::int64_t rest = kPacks * kPack + thread - kPacks;
    if (rest < kRows * kColumns) store<1>(rest, row, states);)");
  }

  /// The states of a thread's columns stay in registers from row to row.
  void write_columns(const std::vector<std::size_t>& merged) {
    source_.program = {schedule_.threads(), schedule_.parts()};
    line("    constexpr int kThreads = {}, kVisits = (kColumns + kThreads * kPack - 1) / (kThreads * kPack);",
         schedule_.threads());
    raw("    const auto column_of = [&](int visit) { return (visit * kThreads + group.rank()) * kPack; };");
    raw("    States_store states_store[kVisits];");
    raw("    const std::int64_t begin = index * kRows / kParts, end = (index + 1) * kRows / kParts;");
    raw("    for (std::int64_t r = begin; r < end; ++r) {\n      Row row{};\n      row.index = r;");
    write_row("      ");
    raw("    }");
    begin_visits("    ");
    raw("      for (int j = 0; j < kPack; ++j) {");
    for (const std::size_t s : merged)
      line("        states_of{0}()[(column + j) * kParts + index] = states_store[visit].r{0}[j];", s);
    raw("      }\n    }");
  }
  void begin_visits(std::string_view indent) {
    line("{0}LECTERN_UNROLLED\n{0}for (int visit = 0; visit < kVisits; ++visit) {{", indent);
    line("{0}  const std::int64_t column = column_of(visit);\n{0}  if (column >= kColumns) break;", indent);
  }

  void write_visits(std::string_view indent, int loop, std::string_view columns = "0, kColumns") {
    if (mapping_ == Mapping::columns && loop == kStore) {
      begin_visits(indent);
      return line("{0}  this->template store<kPack>(column, row, states_store[visit]);\n{0}}}", indent);
    }
    const std::string name = loop_name(loop);
    line("{0}States_{1} states_{1}{{}};", indent, name);
    line("{}for_fused_columns<kPack>(group, {}, [&]<int kCount>(std::int64_t column) {{", indent, columns);
    line("{0}  this->template {1}<kCount>(column, row, states_{1});\n{0}}});", indent, name);
  }

  /// All that is computed of a row.
  void write_row(std::string_view indent) {
    write_numbers(indent);
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      if (program_.inputs[i].per_row)
        line("{0}row.i{1} = in{1}[{2}];", indent, i, text_.offset(i, "static_cast<Index>(row.index)"));
    }
    for (int loop = 0; loop <= schedule_.loops(); ++loop) {
      for (std::size_t s = 0; s < program_.steps.size(); ++s) {
        if (at(s).per_row() && !is_reduction(at(s)) && schedule_.available(s) == loop)
          line("{}row.s{} = {};", indent, s, text_.expression(at(s)));
      }
      if (loop == schedule_.loops()) break;
      write_visits(indent, loop);
      for (const std::size_t s : schedule_.reductions_of(loop)) write_reduced(indent, s, loop);
    }
    if (mapping_ == Mapping::columns || !outputs_of(kStore).empty()) write_visits(indent, kStore);
    for (std::size_t s = 0; s < program_.steps.size(); ++s) {
      if (at(s).per_row() && at(s).output >= 0)
        line("{}if (group.rank() == 0) out{}[row.index] = row.s{};", indent, at(s).output, s);
    }
  }
  void write_reduced(std::string_view indent, std::size_t s, int loop) {
    const std::string functor = functor_in(s, loop);
    const std::string state =
        fmt::format("group.reduce(states_{}.r{}, MergeStates<{}>{{}})", loop_name(loop), s, functor);
    if (schedule_.is_pivot_loop(s, loop))
      return line("{}row.pivot{} = {}::finish({}, kColumns);", indent, s, functor, state);
    const std::string pivot = schedule_.is_term_loop(s, loop) ? fmt::format("row.pivot{}, ", s) : "";
    line("{}row.s{} = {};", indent, s,
         text_.result(at(s), fmt::format("{}::finish({}{}, kColumns)", functor, pivot, state)));
  }

  void write_parts(const std::vector<std::size_t>& merged) {
    source_.program = {kBlockThreads, program_.rows * schedule_.parts()};
    raw("    Row row{};\n    row.index = index / kParts;");
    line("    constexpr std::int64_t kPart = {};", FusedSchedule::kPartColumns);
    raw("    const std::int64_t begin = index % kParts * kPart, rest = kColumns - begin;");
    write_visits("    ", kStore, "begin, begin + (rest < kPart ? rest : kPart)");
    for (const std::size_t s : merged) {
      line("    const auto state{0} = group.reduce(states_store.r{0}, MergeStates<{1}>{{}});", s,
           functor_name(at(s).operation));
      line("    if (group.rank() == 0) states_of{0}()[index] = state{0};", s);
    }
  }

  void write_merge() {
    constexpr std::int64_t kManyParts = 256;
    source_.merge = {schedule_.parts() > kManyParts ? kBlockThreads : kWarpThreads, schedule_.results()};
    raw("\nstruct Merge : Fields {");
    begin_operator();
    for (const std::size_t s : schedule_.merged()) {
      const std::string functor = functor_name(at(s).operation);
      line("    const auto state{0} = merged_parts<{1}>(group, states_of{0}() + index * kParts, kParts);", s,
           functor);
      const std::string finished = fmt::format("{}::finish(state{}, {})", functor, s,
                                               mapping_ == Mapping::parts ? "kColumns" : "kRows");
      line("    if (group.rank() == 0) out{}[index] = {};", at(s).output, text_.result(at(s), finished));
    }
    raw("  }\n};");
  }

  const FusedProgram& program_;
  FusedSchedule schedule_;
  Mapping mapping_;
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
  const bool has_rows =
      program.rows > 1 || std::any_of(program.steps.begin(), program.steps.end(),
                                      [](const FusedStep& step) { return step.shape == Shape::per_column; });
  while (has_rows && program.columns % pack != 0) pack /= 2;
  return pack;
}

FusedSource write_fused_source(const FusedProgram& program, int pack) {
  return SourceWriter(program, pack).write();
}

}  // namespace lectern::kernels::cuda
