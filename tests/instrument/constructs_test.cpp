// Each fixture of constructs/ is built plain and instrumented with g++ and with clang++: same output, same
// exit status, no warning, the steps of its .steps file, and the original bytes when the probes are removed.
// LECTERN_UPDATE_STEPS=1 writes the .steps files anew: read the difference before committing it.

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "instrument/fixtures.h"
#include "instrument/instrumented.h"
#include "instrument/lecture_files.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

using namespace fixtures;

struct Ran {
  int status;
  std::string output;
};

struct Compiler {
  std::string name, program, recorder, probes;
};

class Construct : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    work_ = fs::path(LECTERN_CONSTRUCTS_OUT) / GetParam();
    fs::create_directories(work_);
    compilers_ = {{"gcc", LECTERN_GXX, LECTERN_RECORDER_GCC, LECTERN_PROBES_GXX},
                  {"clang", LECTERN_CLANGXX, LECTERN_RECORDER_CLANG, LECTERN_PROBES_CLANGXX}};
  }

  void build(const Compiler& compiler, const fs::path& source, const fs::path& program,
             const std::string& options = {}) {
    const std::string log = program.string() + ".log";
    const std::string command =
        std::string(LECTERN_LAUNCHER) + " " + compiler.program +
        " -std=c++20 -O0 -Wall -Wextra -Wshadow -Wpedantic -Werror -Wno-unknown-pragmas " + options + " -I" +
        in_quotes(fs::path(LECTERN_SOURCE_DIR) / "tests/instrument/recorder") + " -I" +
        in_quotes(fs::path(LECTERN_SOURCE_DIR) / "engine") + " -iquote " +
        in_quotes(main_file(GetParam()).parent_path()) + " -c " + in_quotes(source) + " -o " +
        in_quotes(program.string() + ".o") + " >" + in_quotes(log) + " 2>&1 && " + compiler.program + " " +
        in_quotes(program.string() + ".o") + " " + compiler.recorder + " -o " + in_quotes(program) +
        " -pthread >>" + in_quotes(log) + " 2>&1";
    ASSERT_EQ(shell(command), 0) << compiler.name << " on " << source << ":\n" << read_file(log);
  }

  Ran run(const fs::path& program, const fs::path& steps) {
    const fs::path output = program.string() + ".out";
    const int status = shell("LECTERN_STEPS=" + in_quotes(steps) + " " + in_quotes(program) + " >" +
                             in_quotes(output) + " 2>&1");
    return {status, read_file(output)};
  }

  fs::path work_;
  std::vector<Compiler> compilers_;
};

TEST_P(Construct, KeepsItsMeaningAndGivesItsSteps) {
  const fs::path source = main_file(GetParam());
  const fs::path instrumented = work_ / "traced" / source.filename();
  const InstrumentedLecture lecture =
      instrument_lecture(source, instrumented, {.inspect_all = false, .folder = {}, .depfile = {}});
  ASSERT_TRUE(lecture.ok) << to_string(lecture.diagnostics.front().place) << ": "
                          << lecture.diagnostics.front().message;
  for (std::size_t i = 0; i < lecture.sources.size(); ++i) {
    EXPECT_EQ(strip_probes(read_file(lecture.outputs[i])), read_file(lecture.sources[i]))
        << lecture.sources[i];
  }
  const fs::path expected = fs::path(source).replace_extension(".steps");
  for (const Compiler& compiler : compilers_) {
    const fs::path plain = work_ / ("plain-" + compiler.name);
    const fs::path traced = work_ / ("traced-" + compiler.name);
    const fs::path steps = work_ / ("steps-" + compiler.name);
    ASSERT_NO_FATAL_FAILURE(build(compiler, source, plain));
    ASSERT_NO_FATAL_FAILURE(build(compiler, instrumented, traced, compiler.probes));
    const Ran without = run(plain, work_ / "no-steps");
    fs::remove(steps);  // nothing is stepped where all is refused
    const Ran with = run(traced, steps);
    EXPECT_EQ(with.output, without.output) << compiler.name;
    EXPECT_EQ(with.status, without.status) << compiler.name;
    EXPECT_FALSE(without.output.empty()) << "a fixture prints what it computes";
    const std::string recorded = fs::exists(steps) ? read_file(steps) : std::string();
    if (std::getenv("LECTERN_UPDATE_STEPS") != nullptr && compiler.name == "gcc")
      write_file(expected, recorded);
    ASSERT_TRUE(fs::exists(expected)) << "no expected steps; the recorded ones:\n" << recorded;
    EXPECT_EQ(recorded, read_file(expected)) << compiler.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Construct, testing::ValuesIn(all()),
                         [](const testing::TestParamInfo<std::string>& fixture) { return fixture.param; });

TEST(Constructs, AreAtLeastSixty) {
  EXPECT_GE(all().size(), 60U);
}

}  // namespace
}  // namespace lectern
