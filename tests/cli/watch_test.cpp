#include "cli/watch.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {

TEST(Watch, SeesChangesBelow) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "sub");
  Watch watch({folder.path()});
  EXPECT_FALSE(watch.wait(0));
  write_file(folder.path() / "sub/a.cpp", "int a;");
  EXPECT_TRUE(watch.wait(2000));
  EXPECT_FALSE(watch.wait(0)) << "one change is reported once";
}

TEST(Watch, FollowsNewFolders) {
  const test::TemporaryFolder folder;
  Watch watch({folder.path()});
  std::filesystem::create_directory(folder.path() / "new");
  EXPECT_TRUE(watch.wait(2000));
  write_file(folder.path() / "new/a.cpp", "int a;");
  EXPECT_TRUE(watch.wait(2000));
}

TEST(Watch, IgnoresHiddenFilesAndPackages) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "node_modules");
  Watch watch({folder.path()});
  write_file(folder.path() / ".a.swp", "x");
  write_file(folder.path() / "node_modules/b.js", "x");
  EXPECT_FALSE(watch.wait(200));
}

TEST(Watch, IgnoresWhatItIsToldTo) {
  const test::TemporaryFolder folder;
  const auto site = folder.path() / "site";
  std::filesystem::create_directories(site);
  Watch watch({folder.path()}, {site});
  write_file(site / "index.html", "x");
  EXPECT_FALSE(watch.wait(200));
}

TEST(Watch, TakesTheNearestOfVeryManyFolders) {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 25; ++i) {
    for (int j = 0; j < 25; ++j)
      std::filesystem::create_directories(folder.path() / std::to_string(i) / std::to_string(j));
  }
  Watch watch({folder.path()});
  write_file(folder.path() / "24/a.h", "int a;");
  EXPECT_TRUE(watch.wait(2000));
}

TEST(Watch, RefusesNothing) {
  EXPECT_THROW(Watch({"/nonexistent/folder"}), Error);
}

}  // namespace
}  // namespace lectern::cli
