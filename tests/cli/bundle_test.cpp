#include "cli/bundle.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

TEST(BundlePrograms, AreReadFromWhatTheBuildWrote) {
  const test::TemporaryFolder folder;
  write_file(folder / "bundle.txt",
             "test /a b/test_one\ntest /test_two\nlecture /lecture-x\nprogram /lectern\ntexts /data\n"
             "architectures 80;90\n");
  const BundlePrograms programs = read_bundle_programs(folder / "bundle.txt");
  EXPECT_EQ(programs.tests, (std::vector<fs::path>{"/a b/test_one", "/test_two"}));
  EXPECT_EQ(programs.lectures, std::vector<fs::path>{"/lecture-x"});
  EXPECT_EQ(programs.programs, std::vector<fs::path>{"/lectern"});
  EXPECT_EQ(programs.texts, "/data");
  EXPECT_EQ(programs.architectures, "80;90");
  write_file(folder / "bundle.txt", "nonsense\n");
  EXPECT_THROW(read_bundle_programs(folder / "bundle.txt"), Error);
}

TEST(BundleDependencies, AreReadFromWhatTheBuildWrote) {
  const test::TemporaryFolder folder;
  const std::string header = (folder / "a b/one.h").string();
  write_file(header, "");
  write_file(folder / "list", "found ONE_DIR " + header + "\nfile " + header + "\n");
  const BundleDependencies dependencies = read_bundle_dependencies(folder / "list");
  ASSERT_EQ(dependencies.found.size(), 1U);
  EXPECT_EQ(dependencies.found[0].first, "ONE_DIR");
  EXPECT_EQ(dependencies.found[0].second, header);
  EXPECT_EQ(dependencies.files, std::vector<fs::path>{header});
  for (const std::string line :
       {"nonsense\n", "file one.h\n", "file /not/there\n", "found ONE_DIR ONE-NOTFOUND\n"}) {
    write_file(folder / "list", line);
    EXPECT_THROW(read_bundle_dependencies(folder / "list"), Error) << line;
  }
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
         {"lectures/figures/one/a.svg", "tests/ops/goldens/numbers.json", "tests/bundle/run", "LICENSE",
          "tests/bundle/lists/sanitizer", "tests/bundle/lists/profile", "tests/checkpoint/safetensors.py",
          "tests/bench/torch_bench.py"}) {
      write_file(root() / file, file);
    }
    write_file(folder / "data/text.txt", "text");
    programs_ = {.tests = {program("test_gpu")},
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

  void make(const std::string& about) const {
    write_bundle(root(), about, out(), [&](const fs::path& into) { add_programs(root(), programs_, into); });
  }
  fs::path unpacked() const {
    const fs::path to = folder / "unpacked";
    fs::create_directories(to);
    const std::string command =
        "tar -xzf '" + (out() / "files.tar.gz").string() + "' -C '" + to.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return to;
  }

  test::TemporaryFolder folder;
  BundlePrograms programs_;
};

TEST_F(BundleFolder, HasAllThatAnotherMachineNeeds) {
  fs::create_directories(out().parent_path());
  make("abc1234\n");
  for (const char* file : {"run", "LICENSE", "commit", "files.tar.gz"})
    EXPECT_TRUE(fs::is_regular_file(out() / file)) << file;
  EXPECT_EQ(read_file(out() / "commit"), "abc1234\n");
  EXPECT_FALSE(fs::exists(out().string() + ".partial"));
  EXPECT_FALSE(fs::exists(out() / "files"));

  const fs::path files = unpacked();
  for (const char* file : {"commit", "bin/test_gpu", "bin/lecture-one", "bin/lectern", "bin/torch_bench.py",
                           "lectures/figures/one/a.svg", "tests/ops/goldens/numbers.json", "data/text.txt",
                           "lists/sanitizer", "lists/profile"}) {
    EXPECT_TRUE(fs::is_regular_file(files / file)) << file;
  }
  EXPECT_FALSE(fs::is_empty(files / "lib"));
  for (const auto& library : fs::directory_iterator(files / "lib")) EXPECT_FALSE(library.is_symlink());
  EXPECT_EQ(read_file(files / "lists/tests"), "test_gpu\n");
  EXPECT_EQ(read_file(files / "lists/lectures"), "lecture-one\n");
}

TEST_F(BundleFolder, TakesThePlaceOfAnEarlierOneButItsResults) {
  make("abc1234\n");
  write_file(out() / "unpacked/stale", "");
  write_file(out() / "results/2026-01-31-gpu/summary.txt", "measured");
  make("def5678\n");
  EXPECT_EQ(read_file(out() / "commit"), "def5678\n");
  EXPECT_EQ(read_file(out() / "results/2026-01-31-gpu/summary.txt"), "measured");
  EXPECT_FALSE(fs::exists(out() / "unpacked"));
}

TEST_F(BundleFolder, TakesUpWhereAKilledOneLeftOff) {
  write_file(out() / "results/2026-01-31-gpu/summary.txt", "measured");
  write_file(out().string() + ".partial/run", "half of it is moved");
  make("abc1234\n");
  EXPECT_EQ(read_file(out() / "commit"), "abc1234\n");
  EXPECT_EQ(read_file(out() / "results/2026-01-31-gpu/summary.txt"), "measured");
  EXPECT_FALSE(fs::exists(out().string() + ".partial"));
}

TEST_F(BundleFolder, ReplacesNothingElse) {
  write_file(out() / "precious", "");
  EXPECT_THROW(make("abc1234\n"), Error);
  EXPECT_TRUE(fs::exists(out() / "precious"));
}

TEST_F(BundleFolder, OfSourcesHasWhatTheyAreBuiltWith) {
  write_file(root() / "engine/one.cpp", "one");
  write_file(root() / "engine/not committed.cpp", "two");
  write_file(root() / "kernels/gone.cu", "three");
  write_file(root() / "site/page.html", "none of the stack");
  write_file(root() / "engine/built.o", "ignored");
  write_file(root() / ".gitignore", "*.o\n");
  const std::string git = "cd '" + root().string() + "' && git init -q && git add engine/one.cpp kernels && ";
  ASSERT_EQ(std::system((git + "rm kernels/gone.cu").c_str()), 0);
  write_file(folder / "usr/include/one.h", "header");
  BundleDependencies dependencies{.found = {{"ONE_DIR", folder / "usr/include"}},
                                  .files = {folder / "usr/include"}};
  write_bundle(root(), "abc1234\n", out(),
               [&](const fs::path& into) { add_sources(root(), dependencies, programs_.programs[0], into); });
  const fs::path files = unpacked();
  const fs::path include = files / "dependencies" / (folder / "usr/include").relative_path();
  EXPECT_EQ(read_file(include / "one.h"), "header");
  EXPECT_EQ(read_file(files / "dependencies/found.cmake"),
            "set(ONE_DIR \"${CMAKE_CURRENT_LIST_DIR}/" + (folder / "usr/include").relative_path().string() +
                "\" CACHE PATH \"Of the bundle\")\n"
                "set(CMAKE_BUILD_RPATH \"${CMAKE_CURRENT_LIST_DIR}/../lib\" CACHE PATH \"Of the bundle\")\n");
  EXPECT_TRUE(fs::exists(files / "source/engine/one.cpp"));
  EXPECT_TRUE(fs::exists(files / "source/engine/not committed.cpp"));
  for (const char* other : {"source/kernels/gone.cu", "source/engine/built.o", "source/site", "lists/tests"})
    EXPECT_FALSE(fs::exists(files / other)) << other;
  EXPECT_TRUE(fs::exists(files / "bin/lectern"));
  EXPECT_FALSE(fs::is_empty(files / "lib"));

  fs::remove_all(root() / ".git");
  EXPECT_THROW(add_sources(root(), dependencies, programs_.programs[0], folder / "other"), Error);
}

}  // namespace
}  // namespace lectern::cli
