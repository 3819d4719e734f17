#include <gtest/gtest.h>

#include "cli/tool.h"
#include "has.h"

// An installed tool in a folder of one's own.

namespace lectern::cli {
namespace {

using test::has;
namespace fs = std::filesystem;

class Course : public testing::Test {
 protected:
  Course() { fs::create_directories(here / "home/share/lectern"); }

  Said call_tool(const std::string& arguments) const {
    return call(arguments, here.path(), "LECTERN_HOME=home");
  }

  test::TemporaryFolder here;
};

TEST_F(Course, WithoutALectureNothingPasses) {
  const Said check = call_tool("check");
  EXPECT_EQ(check.status, 2);
  EXPECT_EQ(check.err,
            "lectern: there is neither a lecture in lectures nor an accepted trace in traces/cpu; go to the "
            "course's folder, or name the file of a lecture\n");
  for (const char* const command : {"build", "build --no-drafts --out public"}) {
    const Said build = call_tool(command);
    EXPECT_EQ(build.status, 2);
    EXPECT_TRUE(has(build.err, "there is no lecture in lectures; go to the course's folder")) << build.err;
  }
  EXPECT_EQ(files_below(here.path()).size(), 0U);
  EXPECT_FALSE(fs::exists(here / "public"));
}

TEST_F(Course, ANewLectureStandsAmongTheOthers) {
  EXPECT_EQ(call_tool("new first").out, "first.cpp\nnext: lectern build first.cpp\n");
  fs::create_directories(here / "lectures");
  EXPECT_EQ(call_tool("new second").out, "lectures/second.cpp\nnext: lectern build second\n");
  EXPECT_TRUE(fs::exists(here / "lectures/second.cpp"));
}

TEST_F(Course, SaysWhatNeedsACheckout) {
  for (const std::string command : {"test", "bench", "bundle"}) {
    const Said said = call_tool(command + " --quick");
    EXPECT_EQ(said.status, 2);
    EXPECT_EQ(said.err, "lectern: `" + command + "` needs a checkout of Lectern; call `./lectern " + command +
                            "` there\n");
  }
}

TEST_F(Course, TellsTheVersion) {
  const std::string version = call_tool("--version").out;
  EXPECT_TRUE(version.starts_with("lectern ")) << version;
  EXPECT_FALSE(has(version, "(")) << version;
  write_file(here / "home/share/lectern/commit", "0123456789ab");
  EXPECT_TRUE(has(call_tool("--version").out, " (0123456789ab)\n"));
  EXPECT_EQ(call_tool("--version").status, 0);
}

}  // namespace
}  // namespace lectern::cli
