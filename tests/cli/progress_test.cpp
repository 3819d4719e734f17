#include "cli/progress.h"

#include <gtest/gtest.h>

namespace lectern::cli {
namespace {

TEST(Progress, NamesTheStepsOfALecture) {
  EXPECT_EQ(lecture_step("Running tensors"), "Running tensors");
  EXPECT_EQ(lecture_step(
                "Building CXX object lectures/CMakeFiles/lecture-tensors.dir/tensors.traced/tensors.cpp.o"),
            "Compiling tensors");
  EXPECT_EQ(lecture_step("Linking CXX executable lectures/lecture-tensors"), "");
  EXPECT_EQ(lecture_step("Building CXX object engine/site/CMakeFiles/lectern_site.dir/html.cpp.o"), "");
  EXPECT_EQ(lecture_step("Building CXX object engine/lecture/CMakeFiles/lectern_lecture.dir/hooks.cpp.o"),
            "");
}

TEST(Progress, PassesCompilerErrorsOnWithoutTheCommand) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.ninja("[1/9] Instrumenting tensors.cpp");
    progress.ninja("[2/9] Linking CXX executable x");
    progress.ninja("FAILED: x.o");
    progress.ninja("/usr/bin/c++ -O1 -c x.cpp");
    progress.ninja("/home/author/tensors.cpp:3:10: error: 'y' was not declared");
    progress.ninja("[note] square brackets of a lecture");
    progress.ninja("-- Configuring done");
    progress.ninja("ninja: build stopped: subcommand failed.");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "  Instrumenting tensors.cpp\n"
            "/home/author/tensors.cpp:3:10: error: 'y' was not declared\n"
            "[note] square brackets of a lecture\n");
}

}  // namespace
}  // namespace lectern::cli
