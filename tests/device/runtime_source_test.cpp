// The source of fused kernels compiles with NVRTC, whatever they compute: for an H200, which takes neither a
// GPU nor a driver.
#include <string>

#include <gtest/gtest.h>

#include "kernels/cuda/fused_source.h"
#include "kernels/cuda/runtime_program.h"

namespace lectern::kernels::cuda {
namespace {

using Source = FusedOperand::Source;

#define LECTERN_ROW(...) +1
constexpr int kUnaries = 0 LECTERN_UNARY_OPERATIONS(LECTERN_ROW);
constexpr int kBinaries = 0 LECTERN_BINARY_OPERATIONS(LECTERN_ROW);
#undef LECTERN_ROW

/// Whether a row of the table takes floats.
#define LECTERN_ROW(name, Functor, rule, autocast) \
  std::string_view(#rule) != "bits" && std::string_view(#rule) != "integer",
constexpr bool kTakesFloats[] = {LECTERN_UNARY_OPERATIONS(LECTERN_ROW)};
constexpr bool kBinaryTakesFloats[] = {LECTERN_BINARY_OPERATIONS(LECTERN_ROW)};
#undef LECTERN_ROW

class RuntimeSource : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_nvrtc()) GTEST_SKIP() << "NVRTC is not found, or of a CUDA before 12.8";
  }

  static FusedProgram program_of(std::int64_t rows, std::int64_t columns, Dtype dtype, int inputs) {
    FusedProgram program;
    program.rows = rows;
    program.columns = columns;
    for (int i = 0; i < inputs; ++i) program.inputs.push_back({dtype, false, {rows, columns}, {columns, 1}});
    return program;
  }
  /// Adds a step on inputs or steps, whose value is an output.
  static void add(FusedProgram& program, const FusedOperation& operation,
                  std::initializer_list<FusedOperand> in, FusedShape shape = FusedShape::full) {
    FusedStep step{operation,
                   {},
                   static_cast<std::uint8_t>(in.size()),
                   shape,
                   static_cast<std::int16_t>(program.outputs++)};
    std::copy(in.begin(), in.end(), step.in.begin());
    program.steps.push_back(step);
  }
  static FusedOperand last(const FusedProgram& program) {
    return {Source::step, static_cast<std::uint16_t>(program.steps.size() - 1)};
  }
  static void expect_compiles(const FusedProgram& program) {
    for (const int pack : {fused_pack(program), 1}) {
      const FusedSource source = write_fused_source(program, pack);
      std::string code;
      EXPECT_NO_THROW(code = compile_to_cubin(source.text, 90)) << source.text;
      EXPECT_EQ(code.substr(0, 4),
                "\x7F"
                "ELF");
    }
  }
};

constexpr FusedOperand kFirst{Source::input, 0}, kSecond{Source::input, 1};

TEST_F(RuntimeSource, OfEveryUnaryRow) {
  for (const Dtype dtype : {float32, bfloat16, float64}) {
    FusedProgram program = program_of(1, 1000, dtype, 1);
    for (int code = 0; code < kUnaries; ++code) {
      if (kTakesFloats[code]) add(program, {static_cast<Unary>(code), dtype, dtype}, {kFirst});
    }
    expect_compiles(program);
  }
}

TEST_F(RuntimeSource, OfEveryBinaryRow) {
  for (const Dtype dtype : {float32, float16, float64}) {
    FusedProgram program = program_of(1, 1000, dtype, 2);
    for (int code = 0; code < kBinaries; ++code) {
      if (kBinaryTakesFloats[code])
        add(program, {static_cast<Binary>(code), dtype, dtype}, {kFirst, kSecond});
    }
    expect_compiles(program);
  }
}

TEST_F(RuntimeSource, OfIntegersConversionsAndStrides) {
  FusedProgram program = program_of(1, 1200, int32, 1);
  program.inputs.push_back({float8_e4m3fn, false, {30, 40}, {1, 30}});
  program.inputs.push_back({bool_, false, {30, 40}, {0, 1}});
  program.numbers.push_back(int64);
  add(program, {Binary::bitwise_and, int32, int32}, {kFirst, {Source::number, 0}});
  add(program, FusedOperation(bfloat16), {kSecond});
  add(program, {Binary::mul, bfloat16, bfloat16}, {last(program), {Source::input, 2}});
  add(program, {Binary::lt, bfloat16, bool_}, {last(program), kFirst});
  expect_compiles(program);
}

/// Of every length: held by a warp or a block, and in parts.
TEST_F(RuntimeSource, OfReductionsOfRows) {
  for (const std::int64_t columns : {33, 512, 4096, 50000}) {
    for (const Dtype dtype : {float32, bfloat16}) {
      FusedProgram program = program_of(7, columns, dtype, 2);
      add(program, {Binary::mul, dtype, dtype}, {kFirst, kSecond});
      const FusedOperand product = last(program);
      for (const Reduction reduction : {Reduction::sum, Reduction::mean, Reduction::max,
                                        Reduction::squared_deviations, Reduction::logsumexp})
        add(program, {reduction, dtype, dtype}, {product}, FusedShape::per_row);
      if (columns <= kFusedRow) {
        add(program, {Unary::rsqrt, dtype, dtype}, {last(program)}, FusedShape::per_row);
        add(program, {Binary::mul, dtype, dtype}, {product, last(program)});
        add(program, {Reduction::sum, dtype, dtype}, {last(program)}, FusedShape::per_row);
      }
      expect_compiles(program);
    }
  }
}

TEST_F(RuntimeSource, OfReductionsOfColumns) {
  for (const std::int64_t columns : {131, 768, 9000}) {
    FusedProgram program = program_of(700, columns, bfloat16, 2);
    add(program, {Reduction::mean, bfloat16, bfloat16}, {kFirst}, FusedShape::per_row);
    add(program, {Binary::mul, bfloat16, bfloat16}, {kSecond, last(program)});
    const FusedOperand product = last(program);
    add(program, {Reduction::sum, bfloat16, float32}, {product}, FusedShape::per_column);
    add(program, {Reduction::squared_deviations, float32, float32}, {product}, FusedShape::per_column);
    expect_compiles(program);
  }
}

TEST_F(RuntimeSource, ErrorsAreTheCompilers) {
  try {
    compile_to_cubin("int f() { return nothing; }", 90);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("\"nothing\" is undefined"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lectern::kernels::cuda
