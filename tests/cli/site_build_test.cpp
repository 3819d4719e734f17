#include "cli/site_build.h"

#include <chrono>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "cli/outside.h"
#include "cli/site_problems.h"
#include "site/render.h"
#include "site/settings.h"
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

/// That nothing is configured, since `path` has this character.
void expect_unusable(const Workspace& workspace, const fs::path& source, const ProjectOptions& options,
                     const fs::path& path, char character) {
  try {
    prepare_outside(workspace, {"talk", source, true}, options);
    ADD_FAILURE() << "configured in " << source;
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), source.string() + ": the path " + path.string() + " contains `" + character +
                                "`, which CMake cannot use; rename that folder");
  }
  EXPECT_FALSE(fs::exists(workspace.outside()));
}

TEST(Lectures, InOrIntoAFolderThatCMakeCannotUseAreToldWhy) {
  const test::TemporaryFolder folder;
  const Workspace workspace = repository(folder, {});
  for (const char character : {'"', '\\', ';'}) {
    const fs::path source = folder / (std::string("a") + character + "b/talk.cpp");
    expect_unusable(workspace, source, {}, source, character);
  }
  for (const char character : {'"', '\\', ';', '#', '<', '>'}) {
    const fs::path out = folder / (std::string("a") + character + "b");
    expect_unusable(workspace, folder / "talk.cpp", {.out = out}, out, character);
  }
}

/// What builds write, without any lecture to compile.
class Builds : public ::testing::Test {
 protected:
  Builds() : workspace_(repository(folder_, {})) {
    workspace_.repository = false;
    workspace_.home = folder_ / "home";
    workspace_.profile = "cpu";
    workspace_.traces = folder_ / "build/traces/cpu";
    for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        write_file(workspace_.templates() / entry.path().filename(), read_file(entry));
    }
    write_file(workspace_.templates() / "assets/style.css", "");
  }

  static fs::path record(const fs::path& traces, const std::string& lecture = "a",
                         const std::string& text = "1",
                         const std::string& shown = R"({"kind":"link","url":"ftp://a"})") {
    const std::string profile = traces.filename();
    write_file(traces / (lecture + ".json"), R"({"format":"lectern-trace/1","lecture":")" + lecture +
                                                 R"(","profile":{"name":")" + profile +
                                                 R"("},"records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["int main() {",")" +
                                                 text + R"("]},
{"function":0,"name":"main","source":0,"span":[1,1,2,2]},
{"site":0,"function":0,"span":[2,1,2,2],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[)" + shown + R"(]},
{"end":"return"}]})");
    return traces / (lecture + ".json");
  }
  void render(const fs::path& site, const std::vector<fs::path>& traces) const {
    render_site(traces,
                {.output = site, .templates = workspace_.templates(), .warn = [](const std::string&) {}});
  }
  std::string said_by_build(const BuildOptions& options = {}) const {
    testing::internal::CaptureStderr();
    EXPECT_TRUE(build_lectures(workspace_, {}, options).ok());
    return testing::internal::GetCapturedStderr();
  }

  const test::TemporaryFolder folder_;
  Workspace workspace_;
};

TEST_F(Builds, ShowTheAcceptedTracesOfOtherProfilesBesideTheirOwn) {
  record(workspace_.accepted() / "cpu");
  const fs::path accepted = record(workspace_.accepted() / "cuda");
  const fs::path further = workspace_.site / "a/cuda/index.html";
  said_by_build();
  EXPECT_FALSE(fs::exists(workspace_.site / "a")) << "it was not built here";
  render(workspace_.site, {record(workspace_.traces)});
  EXPECT_EQ(
      said_by_build(),
      "lectern: a.cpp:2: warning: the link to ftp://a is left out: only http, https, mailto and relative "
      "links are allowed\n");
  EXPECT_TRUE(fs::exists(further));
  EXPECT_FALSE(fs::exists(workspace_.site / "a/cpu"));
  EXPECT_EQ(said_by_build(), "") << "nothing has changed";
  fs::remove(accepted);
  said_by_build();
  EXPECT_FALSE(fs::exists(further.parent_path()));
  EXPECT_TRUE(fs::exists(workspace_.site / "a/index.html"));
}

TEST_F(Builds, RemoveDeletedLecturesFromWhatIsPublished) {
  write_file(workspace_.root / "lectures/a.cpp", "");
  const fs::path a = record(workspace_.traces, "a"), b = record(workspace_.traces, "b");
  for (const bool students : {false, true}) {
    BuildOptions options{.all = true, .audience = {.students = students}, .drafts = students};
    options.out = site_for_others(workspace_, options);
    render(options.out, {a, b});
    options.all = false;
    said_by_build(options);
    EXPECT_TRUE(fs::exists(options.out / "b")) << "only some are built";
    options.all = true;
    EXPECT_EQ(said_by_build(options), "  Removing b\n");
    EXPECT_TRUE(fs::exists(options.out / "a/index.html"));
    EXPECT_FALSE(fs::exists(options.out / "b"));
    EXPECT_EQ(read_file(options.out / "index.html").find("b/index.html"), std::string::npos);
    EXPECT_TRUE(fs::exists(b)) << "the author's own site still has it";
  }
  const fs::path imported = record(folder_ / "elsewhere", "c");
  render(workspace_.site, {a, b, imported});
  said_by_build({.all = true});
  EXPECT_FALSE(fs::exists(workspace_.site / "b") || fs::exists(b));
  EXPECT_TRUE(fs::exists(workspace_.site / "a") && fs::exists(workspace_.site / "c"));
}

TEST_F(Builds, KnowWhatOnlyTheSiteTells) {
  const RenderOptions pages{.output = workspace_.site, .templates = workspace_.templates()};
  render(workspace_.site, {record(workspace_.traces)});
  const std::vector<Lecture> lectures{{"a", workspace_.root / "lectures/a.cpp", true}};
  const auto problems = [&] { return site_problems(workspace_, lectures, pages).warnings; };
  EXPECT_TRUE(problems().empty());
  const fs::path references = workspace_.root / "lectures/references.bib";
  write_file(references, "@misc{a, title={A}}");
  EXPECT_EQ(problems(), std::vector{references.string() + ":1: no lecture cites `a`; cite it, or remove it"});
  write_file(references, "\n@misc{a,\n title={A}\n year=1}");
  ASSERT_EQ(problems().size(), 1U);
  EXPECT_TRUE(problems()[0].starts_with(references.string() + ":4: in this @misc `a` a comma is missing"))
      << problems()[0];
  fs::remove(references);
  const fs::path cuda = record(workspace_.accepted() / "cuda", "a", "old");
  said_by_build();
  ASSERT_EQ(problems().size(), 1U);
  EXPECT_TRUE(problems()[0].starts_with(cuda.string() + ": it was recorded from an earlier version"))
      << problems()[0];
  RenderOptions paired = pages;
  paired.settings = parse_site_settings("[beside.nothing]\nf = \"g\"\n", "site.toml");
  EXPECT_EQ(site_problems(workspace_, lectures, paired).errors,
            std::vector<std::string>{"site.toml:1: there is no lecture `nothing`; name one of the site's"});
}

TEST_F(Builds, SayThatTheyWaitForAnotherAndStopWaitingWhenTold) {
  const fs::path lock = workspace_.root / "build/.lock";
  write_file(lock, "");
  const int held = open(lock.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  testing::internal::CaptureStderr();
  BuildResult result;
  std::jthread waiting(
      [&](const std::stop_token& stop) { result = build_lectures(workspace_, {}, {.stop = stop}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  waiting = {};  // stops it
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "lectern: another build is under way in " +
                                                        (workspace_.root / "build").string() +
                                                        "; waiting for its end\n");
  close(held);
  EXPECT_EQ(said_by_build(), "");
}

TEST_F(Builds, NameTheFilesOfTermsAsTheAuthorDoes) {
  const std::string source = (workspace_.root / "lectures/a.cpp").string();
  write_file(source, "");
  const RenderOptions pages{.output = workspace_.site, .templates = workspace_.templates()};
  const auto term = [](const std::string& name, const std::string& definition) {
    return R"({"kind":"term","name":")" + name + R"(","definition":")" + definition + "\"}";
  };
  render(workspace_.site, {record(workspace_.traces, "a", "1",
                                  term("x", "one") + "," + term("x", "two") + "," + term("y", ""))});
  const std::vector<std::string> warnings = site_problems(workspace_, {{"a", source, true}}, pages).warnings;
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(warnings[0].starts_with(source + ":2: no lecture defines the term \"y\"")) << warnings[0];
  EXPECT_TRUE(warnings[1].starts_with(source + ":2: term: \"x\" has another definition at " + source + ":2;"))
      << warnings[1];
}

}  // namespace
}  // namespace lectern::cli
