#include <gtest/gtest.h>

#include "cli/tool.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class EveryCommand : public testing::TestWithParam<const char*> {};

TEST_P(EveryCommand, ExplainsItselfAndItsExitStatuses) {
  const test::TemporaryFolder here;
  const Said said = call(std::string(GetParam()) + " --help", here.path());
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(contains(said.out, "Exit status:")) << said.out;
  EXPECT_TRUE(contains(said.out, GetParam())) << said.out;
  EXPECT_EQ(said.err, "");
}

TEST_P(EveryCommand, IsListed) {
  const test::TemporaryFolder here;
  EXPECT_TRUE(contains(call("--help", here.path()).out, std::string("\n  ") + GetParam() + " "));
}

TEST_P(EveryCommand, RefusesAnUnknownOption) {
  const test::TemporaryFolder here;
  const Said said = call(std::string(GetParam()) + " --nonsense", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_TRUE(said.err.starts_with("lectern: ")) << said.err;
  EXPECT_TRUE(contains(said.err, std::string("see `lectern ") + GetParam() + " --help`")) << said.err;
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand,
                         testing::Values("build", "test", "serve", "new", "doctor", "instrument", "run",
                                         "render"),
                         [](const auto& command) { return std::string(command.param); });

TEST(Commands, SuggestsTheCommandThatWasMeant) {
  const test::TemporaryFolder here;
  const Said said = call("biuld", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.err, "lectern: there is no command `biuld`; did you mean `build`?\n");
}

TEST(Commands, SaysWhatThereIsWhenNothingIsAsked) {
  const test::TemporaryFolder here;
  const Said said = call("", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(contains(said.err, "build")) << said.err;
}

TEST(New, WritesALectureAndNeverOverwritesOne) {
  const test::TemporaryFolder here;
  const Said said = call("new linear_regression --in .", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  const fs::path file = here.path() / "linear_regression.cpp";
  const std::string text = read_file(file);
  EXPECT_TRUE(contains(text, "\"# Linear regression\"")) << text;

  write_file(file, "mine");
  const Said again = call("new linear_regression --in .", here.path());
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(contains(again.err, "linear_regression.cpp is there already; choose another name"))
      << again.err;
  EXPECT_EQ(read_file(file), "mine");
}

TEST(New, RefusesWhatCannotBeAName) {
  const test::TemporaryFolder here;
  for (const char* name : {"../up", "a/b", "'two words'", "a.cpp", "\"$(printf '\\303\\251')\""}) {
    const Said said = call(std::string("new --in . -- ") + name, here.path());
    EXPECT_EQ(said.status, 1) << name;
    EXPECT_TRUE(contains(said.err, "use letters, digits, - and _")) << said.err;
  }
  EXPECT_TRUE(fs::is_empty(here.path()));
}

TEST(Build, ListsTheLecturesWhenThereIsNoSuchOne) {
  const test::TemporaryFolder here;
  const Said said = call("build no_such_lecture", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(said.err.starts_with("lectern: there is no lecture `no_such_lecture`")) << said.err;
  for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "lectures")) {
    if (entry.path().extension() != ".cpp") continue;
    EXPECT_TRUE(contains(said.err, entry.path().stem())) << said.err;
  }
}

TEST(Build, RefusesANameThatAnotherLectureOfTheSiteHas) {
  const test::TemporaryFolder here;
  for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "lectures")) {
    if (entry.path().extension() != ".cpp") continue;
    write_file(here.path() / entry.path().filename(), "int main() {}\n");
    const Said said = call("build " + entry.path().filename().string(), here.path());
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(contains(said.err, "has the same name in this site; rename one")) << said.err;
  }
}

TEST(Instrument, WritesProbesAndNamesWhatItRead) {
  const test::TemporaryFolder here;
  write_file(here.path() / "a.cpp", "int main() {\n  int x = 1;  // @inspect x\n  return x - 1;\n}\n");
  const Said said = call("instrument a.cpp -o out/a.cpp --depfile out/a.d --summary", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, "a.cpp: 1 functions traced, 0 not\n");
  EXPECT_TRUE(contains(read_file(here.path() / "out/a.cpp"), "int x = 1;"));
  EXPECT_TRUE(contains(read_file(here.path() / "out/a.d"), "a.cpp"));
}

TEST(Instrument, NamesTheLineOfAMisspeltDirective) {
  const test::TemporaryFolder here;
  write_file(here.path() / "a.cpp", "int main() {\n  int x = 1;  // @inspct x\n  return x - 1;\n}\n");
  const Said said = call("instrument a.cpp -o out.cpp", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(contains(said.err, "a.cpp:2:")) << said.err;
  EXPECT_TRUE(contains(said.err, "error:")) << said.err;
  EXPECT_FALSE(fs::exists(here.path() / "out.cpp"));
}

TEST(Instrument, RefusesAFileThatIsNotThere) {
  const test::TemporaryFolder here;
  const Said said = call("instrument none.cpp -o out.cpp", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(contains(said.err, "none.cpp")) << said.err;
}

TEST(Run, SaysThatAProgramIsNoLecture) {
  const test::TemporaryFolder here;
  const Said said = call("run /bin/true -o a.json", here.path());
  EXPECT_NE(said.status, 0);
  EXPECT_TRUE(said.err.starts_with("lectern: ")) << said.err;
  EXPECT_FALSE(fs::exists(here.path() / "a.json"));
}

TEST(Render, NamesATraceThatCannotBeRead) {
  const test::TemporaryFolder here;
  write_file(here.path() / "broken.json", "{]");
  const Said said = call("render broken.json -o site", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(contains(said.err, "broken.json")) << said.err;
}

TEST(Doctor, NamesVersions) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path());
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(contains(said.out, "cmake version 3.")) << said.out;
  EXPECT_TRUE(contains(said.out, "GPU ")) << said.out;
}

TEST(Doctor, SaysWhatIsMissingAndHowToGetIt) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path(), "PATH=/nonexistent");
  EXPECT_EQ(said.status, 3);
  EXPECT_TRUE(contains(said.out, "! install g++")) << said.out;
}

TEST(Home, IsRefusedWhenItIsNone) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path(), "LECTERN_HOME=/nonexistent");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(contains(said.err, "LECTERN_HOME is /nonexistent, which has no share/lectern")) << said.err;
}

}  // namespace
}  // namespace lectern::cli
