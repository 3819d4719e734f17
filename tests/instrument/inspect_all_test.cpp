// Each fixture of constructs/ with all its variables inspected, by g++ and by clang++, with the recorder
// itself: it compiles and, recorded, prints and ends as without.

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/files.h"
#include "instrument/fixtures.h"
#include "instrument/lecture_files.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;
using namespace fixtures;

class InspectedConstruct : public testing::TestWithParam<std::string> {};

struct Compiler {
  std::string program, probes;
};

/// Compiles quickly; how well is no matter. Returns what the compiler said if it refused.
std::string compile(const Compiler& compiler, const fs::path& source, const fs::path& folder,
                    const fs::path& program) {
  const fs::path log = program.string() + ".log";
  const std::string command =
      std::string(LECTERN_LAUNCHER) + " " + compiler.program +
      " -std=c++20 -O0 -Wall -Wextra -Wno-unknown-pragmas " + compiler.probes + " -I" +
      in_quotes(fs::path(LECTERN_SOURCE_DIR) / "engine") + " -iquote " + in_quotes(folder) + " -c " +
      in_quotes(source) + " -o " + in_quotes(program.string() + ".o") + " >" + in_quotes(log) + " 2>&1 && " +
      compiler.program + " " + in_quotes(program.string() + ".o") + " " LECTERN_RECORDER " -o " +
      in_quotes(program) + " -pthread >>" + in_quotes(log) + " 2>&1";
  return shell(command) == 0 ? std::string() : read_file(log);
}

TEST_P(InspectedConstruct, CompilesAndKeepsItsMeaning) {
  const fs::path source = main_file(GetParam()), work = fs::path(LECTERN_CONSTRUCTS_OUT) / GetParam();
  const fs::path traced = work / "traced" / source.filename();
  const InstrumentedLecture lecture =
      instrument_lecture(source, traced, {.inspect_all = true, .folder = {}, .depfile = {}});
  ASSERT_TRUE(lecture.ok) << lecture.diagnostics.front().message;
  for (const Compiler& compiler :
       {Compiler{LECTERN_GXX, LECTERN_PROBES_GXX}, Compiler{LECTERN_CLANGXX, LECTERN_PROBES_CLANGXX}}) {
    const fs::path program = work / fs::path(compiler.program).filename();
    ASSERT_EQ(compile(compiler, traced, source.parent_path(), program), "") << compiler.program;
    const auto run = [&](const std::string& command, const std::string& name) {
      const fs::path output = program.string() + name;
      const int status = shell(command + " >" + in_quotes(output) + " 2>/dev/null");
      return std::pair(status, read_file(output));
    };
    const auto plain = run(in_quotes(program), ".out");
    const auto recorded = run(std::string(LECTERN_TOOL) + " run " + in_quotes(program) + " -o " +
                                  in_quotes(program.string() + ".json"),
                              ".recorded");
    EXPECT_EQ(recorded, plain) << compiler.program;
  }
}

INSTANTIATE_TEST_SUITE_P(All, InspectedConstruct, testing::ValuesIn(all()),
                         [](const testing::TestParamInfo<std::string>& fixture) { return fixture.param; });

}  // namespace
}  // namespace lectern
