#include "cli/workspace.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "cli/run_end.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {

TEST(Workspace, NamesOfLectures) {
  for (const char* good : {"a", "lecture_01_tokenization", "linear-regression", "2nd"}) {
    EXPECT_TRUE(is_lecture_name(good)) << good;
  }
  for (const char* bad : {"", "-a", "_a", "a b", "a/b", "../a", "a.cpp", "é", "assets", "series",
                          "categories", "tags", "report"}) {
    EXPECT_FALSE(is_lecture_name(bad)) << bad;
  }
  EXPECT_TRUE(is_lecture_name(std::string(100, 'a')));
  EXPECT_FALSE(is_lecture_name(std::string(101, 'a')));
}

TEST(RunEnd, NamesItsPlaceFromTheCurrentFolder) {
  const test::TemporaryFolder course;
  write_file(course / "lectures/a.cpp", "");
  const std::vector<std::filesystem::path> folders{course / "lectures", course.path()};
  const std::string file = (course / "lectures/a.cpp").string();
  EXPECT_EQ(with_shown_place("a.cpp:12:3: claim failed", folders), file + ":12:3: claim failed");
  EXPECT_EQ(with_shown_place("lectures/a.cpp:1: SIGSEGV", folders), file + ":1: SIGSEGV");
  EXPECT_EQ(with_shown_place("a.cpp:1: SIGSEGV", folders, course.path()), "lectures/a.cpp:1: SIGSEGV");
  for (const char* same : {"gone.cpp:1: SIGSEGV", "claim failed: a", "SIGSEGV", "", "a.cpp:"})
    EXPECT_EQ(with_shown_place(same, folders), same);
}

TEST(Workspace, ShowsPathsFromHere) {
  EXPECT_EQ(shown(std::filesystem::current_path() / "site/index.html"), "site/index.html");
  EXPECT_EQ(shown("/elsewhere/index.html"), "/elsewhere/index.html");
}

}  // namespace
}  // namespace lectern::cli
