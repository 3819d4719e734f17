#include "cli/bundle.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

TEST(BundleContents, AreReadFromWhatTheBuildWrote) {
  const test::TemporaryFolder folder;
  write_file(folder / "bundle.txt",
             "test /a b/test_one\ntest /test_two\nlecture /lecture-x\nprogram /lectern\ntexts /data\n"
             "architectures 80;90\n");
  const BundleContents contents = read_bundle_contents(folder / "bundle.txt");
  EXPECT_EQ(contents.tests, (std::vector<fs::path>{"/a b/test_one", "/test_two"}));
  EXPECT_EQ(contents.lectures, std::vector<fs::path>{"/lecture-x"});
  EXPECT_EQ(contents.programs, std::vector<fs::path>{"/lectern"});
  EXPECT_EQ(contents.texts, "/data");
  EXPECT_EQ(contents.architectures, "80;90");
  write_file(folder / "bundle.txt", "nonsense\n");
  EXPECT_THROW(read_bundle_contents(folder / "bundle.txt"), Error);
}

TEST(BundleLibraries, AreThoseThatASystemMayLack) {
  const auto libraries = libraries_of({fs::read_symlink("/proc/self/exe")});
  const auto holds = [&](const std::string& prefix) {
    return std::any_of(libraries.begin(), libraries.end(), [&](const fs::path& library) {
      return library.filename().string().starts_with(prefix) && fs::exists(library);
    });
  };
  EXPECT_TRUE(holds("libfmt.so"));
  for (const char* system : {"libc.so", "libm.so", "libstdc++.so", "ld-linux"}) EXPECT_FALSE(holds(system));
}

/// A repository with what bundles take from it, and a build of it.
class BundleFolder : public testing::Test {
 protected:
  BundleFolder() {
    for (const char* file :
         {"lectures/figures/one/a.svg", "tests/ops/goldens/numbers.json", "tests/bundle/run", "LICENSE"}) {
      write_file(root() / file, file);
    }
    write_file(folder / "data/text.txt", "text");
    contents_ = {.tests = {program("test_gpu")},
                 .lectures = {program("lecture-one")},
                 .programs = {program("lectern")},
                 .texts = folder / "data",
                 .architectures = "90"};
  }
  fs::path root() const { return folder / "root"; }
  fs::path out() const { return folder / "made/bundle"; }
  fs::path program(const std::string& name) const {
    const fs::path file = folder / "built" / name;
    fs::create_directories(file.parent_path());
    fs::copy_file(fs::read_symlink("/proc/self/exe"), file);
    return file;
  }

  test::TemporaryFolder folder;
  BundleContents contents_;
};

TEST_F(BundleFolder, HasAllThatAnotherMachineNeeds) {
  fs::create_directories(out().parent_path());
  write_bundle(root(), contents_, "abc1234", out());
  for (const char* file : {"run", "LICENSE", "bin/test_gpu", "bin/lecture-one", "bin/lectern",
                           "lectures/figures/one/a.svg", "tests/ops/goldens/numbers.json", "data/text.txt"}) {
    EXPECT_TRUE(fs::is_regular_file(out() / file)) << file;
  }
  EXPECT_FALSE(fs::is_empty(out() / "lib"));
  for (const auto& library : fs::directory_iterator(out() / "lib")) EXPECT_FALSE(library.is_symlink());
  EXPECT_EQ(read_file(out() / "tests.txt"), "test_gpu\n");
  EXPECT_EQ(read_file(out() / "lectures.txt"), "lecture-one\n");
  EXPECT_EQ(read_file(out() / "commit"), "abc1234\narchitectures 90\n");
  EXPECT_FALSE(fs::exists(out().string() + ".partial"));

  write_file(out() / "stale", "");
  write_file(out() / "results/2026-01-31-gpu/summary.txt", "measured");
  write_bundle(root(), contents_, "def5678", out());
  EXPECT_EQ(read_file(out() / "results/2026-01-31-gpu/summary.txt"), "measured");
  EXPECT_FALSE(fs::exists(out() / "stale")) << "a bundle takes the place of an earlier one";
}

TEST_F(BundleFolder, TakesUpWhereAKilledOneLeftOff) {
  write_file(out() / "results/2026-01-31-gpu/summary.txt", "measured");
  write_file(out().string() + ".partial/run", "half of it is moved");
  write_bundle(root(), contents_, "abc1234", out());
  EXPECT_EQ(read_file(out() / "commit"), "abc1234\narchitectures 90\n");
  EXPECT_EQ(read_file(out() / "results/2026-01-31-gpu/summary.txt"), "measured");
  EXPECT_FALSE(fs::exists(out().string() + ".partial"));
}

TEST_F(BundleFolder, ReplacesNothingElse) {
  write_file(out() / "precious", "");
  EXPECT_THROW(write_bundle(root(), contents_, "abc1234", out()), Error);
  EXPECT_TRUE(fs::exists(out() / "precious"));
}

}  // namespace
}  // namespace lectern::cli
