#include "cli/site_build.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "site/render.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

/// A repository with these files in lectures/.
Workspace repository(const test::TemporaryFolder& folder, const std::vector<std::string>& files) {
  for (const auto& file : files) write_file(folder.path() / "lectures" / file, "int main() {}\n");
  Workspace workspace;
  workspace.root = folder.path();
  workspace.site = folder.path() / "site";
  workspace.traces = folder.path() / "traces";
  workspace.repository = true;
  return workspace;
}

TEST(Lectures, AreTheCppFilesThatAPersonSees) {
  const test::TemporaryFolder folder;
  const Workspace workspace = repository(folder, {"b.cpp", "a.cpp", "notes.txt", ".#a.cpp", "a/part.cpp"});
  fs::create_directories(folder / "lectures/folder.cpp");
  fs::create_symlink("nobody@nowhere", folder / "lectures/.#b.cpp");
  fs::create_symlink("nowhere", folder / "lectures/dangling.cpp");
  std::vector<std::string> names;
  for (const auto& lecture : known_lectures(workspace)) names.push_back(lecture.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
}

TEST(Lectures, OfABadNameAreToldToBeRenamed) {
  const test::TemporaryFolder folder;
  Workspace workspace = repository(folder, {"my talk.cpp", "assets.cpp"});
  const auto lectures = known_lectures(workspace);
  ASSERT_EQ(lectures.size(), 2u);
  workspace.repository = false;  // nothing but these to build
  testing::internal::CaptureStderr();
  const BuildResult result = build_lectures(workspace, lectures);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(result.ok());
  for (const auto& lecture : lectures) {
    EXPECT_NE(
        said.find("lectern: " + lecture.source.string() + ": a lecture's name is letters, digits, - and _"),
        std::string::npos)
        << said;
  }
}

TEST(Builds, ShowTheAcceptedTracesOfOtherProfilesBesideTheirOwn) {
  const test::TemporaryFolder folder;
  Workspace workspace = repository(folder, {});
  workspace.repository = false;
  workspace.home = folder / "home";
  workspace.profile = "cpu";
  workspace.traces = folder / "build/traces/cpu";
  for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
    if (entry.path().extension() == ".mustache")
      write_file(workspace.templates() / entry.path().filename(), read_file(entry));
  }
  write_file(workspace.templates() / "assets/style.css", "");
  const auto record = [](const fs::path& traces) {
    const std::string profile = traces.filename();
    write_file(traces / "a.json", R"({"format":"lectern-trace/1","lecture":"a","profile":{"name":")" +
                                      profile + R"("},"records":[{"end":"return"}]})");
    return traces / "a.json";
  };
  record(workspace.accepted() / "cpu");
  const fs::path accepted = record(workspace.accepted() / "cuda");
  const fs::path further = workspace.site / "a/cuda/index.html";
  build_lectures(workspace, {});
  EXPECT_FALSE(fs::exists(workspace.site / "a")) << "it was not built here";
  render_site({record(workspace.traces)}, {.output = workspace.site, .templates = workspace.templates()});
  build_lectures(workspace, {});
  EXPECT_TRUE(fs::exists(further));
  EXPECT_FALSE(fs::exists(workspace.site / "a/cpu"));
  fs::remove(accepted);
  build_lectures(workspace, {});
  EXPECT_FALSE(fs::exists(further.parent_path()));
  EXPECT_TRUE(fs::exists(workspace.site / "a/index.html"));
}

}  // namespace
}  // namespace lectern::cli
