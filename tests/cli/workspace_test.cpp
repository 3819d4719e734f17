#include "cli/workspace.h"

#include <gtest/gtest.h>

namespace lectern::cli {
namespace {

TEST(Workspace, NamesOfLectures) {
  for (const char* good : {"a", "lecture_01_tokenization", "linear-regression", "2nd"}) {
    EXPECT_TRUE(is_lecture_name(good)) << good;
  }
  for (const char* bad :
       {"", "-a", "_a", "a b", "a/b", "../a", "a.cpp", "é", "assets", "series", "categories", "tags"}) {
    EXPECT_FALSE(is_lecture_name(bad)) << bad;
  }
  EXPECT_TRUE(is_lecture_name(std::string(100, 'a')));
  EXPECT_FALSE(is_lecture_name(std::string(101, 'a')));
}

TEST(Workspace, ShowsPathsFromHere) {
  EXPECT_EQ(shown(std::filesystem::current_path() / "site/index.html"), "site/index.html");
  EXPECT_EQ(shown("/elsewhere/index.html"), "/elsewhere/index.html");
}

}  // namespace
}  // namespace lectern::cli
