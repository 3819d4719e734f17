#include <set>

#include <gtest/gtest.h>

#include "cli/shown_trace.h"
#include "cli/tool.h"
#include "has.h"

namespace lectern::cli {
namespace {

using test::has;
namespace fs = std::filesystem;

class EveryCommand : public testing::TestWithParam<const char*> {};

TEST_P(EveryCommand, ExplainsItselfAndItsExitStatuses) {
  const test::TemporaryFolder here;
  const Said said = call(std::string(GetParam()) + " --help", here.path());
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(has(said.out, "Exit status:")) << said.out;
  EXPECT_TRUE(has(said.out, GetParam())) << said.out;
  EXPECT_EQ(said.err, "");
}

TEST_P(EveryCommand, IsListed) {
  const test::TemporaryFolder here;
  EXPECT_TRUE(has(call("--help", here.path()).out, std::string("\n  ") + GetParam() + " "));
}

TEST_P(EveryCommand, RefusesAnUnknownOption) {
  const test::TemporaryFolder here;
  const Said said = call(std::string(GetParam()) + " --nonsense", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_TRUE(said.err.starts_with("lectern: ")) << said.err;
  EXPECT_TRUE(has(said.err, std::string("see `lectern ") + GetParam() + " --help`")) << said.err;
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand,
                         testing::Values("build", "serve", "new", "doctor", "instrument", "run", "render",
                                         "verdict", "check", "accept", "cost", "diff"),
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
  EXPECT_TRUE(has(said.err, "build")) << said.err;
}

TEST(Run, TakesANumberOfProcesses) {
  const test::TemporaryFolder here;
  const std::string run = std::string("run '") + LECTERN_TEST_LECTURE + "' -o a.json ";
  for (const char* count : {"0", "65", "-1", "two"})
    EXPECT_EQ(call(run + "--processes " + count, here.path()).status, 2) << count;
  const Said said = call(run + "--processes 2 -- 'cout'", here.path());
  EXPECT_TRUE(fs::exists(here / "a.json") && fs::exists(here / "a.rank1.json")) << said.err;
  EXPECT_EQ(call("diff a.json a.json", here.path()).status, 0);
  fs::remove(here / "a.rank1.json");
  const Said missing = call("render a.json -o site", here.path());
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(has(missing.err, "a.rank1.json: the trace of rank 1 of 2 is not there; run the lecture again"))
      << missing.err;
}

TEST(New, WritesALectureAndNeverOverwritesOne) {
  const test::TemporaryFolder here;
  const Said said = call("new linear_regression --in .", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  const fs::path file = here.path() / "linear_regression.cpp";
  const std::string text = read_file(file);
  EXPECT_TRUE(has(text, ".title = \"Linear regression\"")) << text;

  write_file(file, "mine");
  const Said again = call("new linear_regression --in .", here.path());
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(has(again.err, "linear_regression.cpp exists already; choose another name")) << again.err;
  EXPECT_EQ(read_file(file), "mine");
}

/// A course's own repository, with an installed tool.
std::string course_in(const fs::path& folder) {
  fs::create_directories(folder / "home/share/lectern/starters");
  write_file(folder / "home/share/lectern/starters/merge.cpp", "installed merge");
  write_file(folder / "home/share/lectern/starters/adamw.cpp", "installed adamw");
  write_file(folder / "lectures/starters/merge.cpp", "merge of the course");
  write_file(folder / "lectures/starters/notes.txt", "no starter");
  return "LECTERN_HOME=home";
}

TEST(New, CopiesAStarterFileAndNeverOverwritesACopy) {
  const test::TemporaryFolder here;
  const std::string course = course_in(here.path());
  const Said said = call("new --exercise merge", here.path(), course);
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, "merge.cpp\nnext: lectern build merge.cpp\n");
  EXPECT_EQ(read_file(here / "merge.cpp"), "merge of the course") << "which has precedence";
  write_file(here / "merge.cpp", "mine");
  const Said again = call("new --exercise merge", here.path(), course);
  EXPECT_EQ(again.status, 1);
  EXPECT_EQ(again.err, "lectern: merge.cpp exists already; choose another name\n");
  EXPECT_EQ(read_file(here / "merge.cpp"), "mine");

  fs::create_directories(here / "mine");
  EXPECT_EQ(call("new --exercise adamw second --in mine", here.path(), course).out,
            "mine/second.cpp\nnext: lectern build mine/second.cpp\n");
  EXPECT_EQ(read_file(here / "mine/second.cpp"), "installed adamw");
  EXPECT_EQ(call("new --exercise adamw ../up", here.path(), course).status, 1);
}

TEST(New, TellsWhichExercisesThereAre) {
  const test::TemporaryFolder here;
  const std::string course = course_in(here.path());
  const Said list = call("new --exercise", here.path(), course);
  EXPECT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(list.out, "adamw\nmerge\n");
  const Said unknown = call("new --exercise marge", here.path(), course);
  EXPECT_EQ(unknown.status, 1);
  EXPECT_EQ(unknown.err,
            "lectern: there is no exercise `marge`, did you mean `merge`?; there are: adamw, merge\n");
  EXPECT_EQ(call("new --exercise ../merge", here.path(), course).status, 1);
  EXPECT_EQ(call("new", here.path(), course).status, 2) << "a lecture needs a name";
  EXPECT_FALSE(fs::exists(here / "marge.cpp"));
}

TEST(New, RefusesWhatCannotBeAName) {
  const test::TemporaryFolder here;
  const std::string long_name(300, 'a');
  for (const std::string name :
       {"../up", "a/b", "'two words'", "a.cpp", "\"$(printf '\\303\\251')\"", "assets", long_name.c_str()}) {
    const Said said = call("new --in . -- " + name, here.path());
    EXPECT_EQ(said.status, 1) << name;
    EXPECT_TRUE(has(said.err, "use letters, digits, - and _, the first a letter or digit")) << said.err;
  }
  EXPECT_TRUE(fs::is_empty(here.path()));
}

TEST(Export, WritesForBothViewersAndImportTakesItBack) {
  const test::TemporaryFolder here;
  const fs::path sample = fs::path(LECTERN_SOURCE_DIR) / "tests/site/sample.json";
  const std::string from = "export '" + sample.string() + "' --to edtrace -o ";
  const Said said = call(from + "out/one.json", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out + said.err, "");
  const std::string later = read_file(here / "out/one.json");
  EXPECT_TRUE(has(later, "\"hidden_line_numbers\""));
  EXPECT_TRUE(has(later, "\"data:image/svg+xml;base64,"));
  EXPECT_FALSE(fs::exists(here / "out/one.assets"));
  EXPECT_EQ(call(from + "two.json --generation 2025 --files-url media", here.path()).status, 0);
  const std::string old = read_file(here / "two.json");
  EXPECT_FALSE(has(old, "\"hidden_line_numbers\""));
  EXPECT_TRUE(has(old, "\"media/bits.svg\""));

  EXPECT_EQ(call(from + "var/traces/one.json --files-url var/traces/one.assets", here.path()).status, 0);
  EXPECT_EQ(call("import var/traces/one.json -o back/again.json", here.path()).status, 0);
  EXPECT_TRUE(has(read_file(here / "back/again.json"), "\"lecture\":\"again\""));
  EXPECT_TRUE(fs::is_regular_file(here / "back/again.assets/var/traces/one.assets/bits.svg"));
}

TEST(Render, NamesFilesAsTheAuthorDoes) {
  const test::TemporaryFolder here;
  write_file(here / "a.json", trace_showing("a", R"({"kind":"link","url":"ftp://a"})"));
  write_file(here / "lectures/a.cpp", "");
  const std::string render =
      "render '" + (here / "a.json").string() + "' -o '" + (here / "site").string() + "'";
  const auto said = [&](const std::string& options) { return call(render + options, here / "lectures").err; };
  const std::string what = ":2: warning: the link to ftp://a is left out";
  EXPECT_TRUE(has(said(""), "lectern: a.cpp" + what));
  const std::string folder = " --folder '" + (here / "lectures").string() + "'";
  EXPECT_TRUE(has(said(folder + " --from '" + here.path().string() + "'"), "lectern: lectures/a.cpp" + what));
  EXPECT_TRUE(
      has(said(folder + " --from /elsewhere"), "lectern: " + (here / "lectures/a.cpp").string() + what));
}

TEST(Export, CarriesStartersOfExercises) {
  const test::TemporaryFolder here;
  write_file(here / "a.json",
             trace_showing("a", R"x({"kind":"exercise","markdown":"Why?","starter":"s.cpp"})x"));
  write_file(here / "a.assets/s.cpp", "int start;\n");
  for (const char* const form : {"edtrace -o out", "markdown -o out", "ipynb -o out"}) {
    const Said said = call(std::string("export a.json --to ") + form, here.path());
    EXPECT_EQ(said.status, 0) << said.err;
    const std::string text = read_file(here / "out");
    EXPECT_TRUE(has(text, "int start;")) << form << text;
  }
}

TEST(Export, WarnsOfMissingFilesAsRenderDoes) {
  const test::TemporaryFolder here;
  write_file(here / "a.json",
             trace_showing(
                 "a", R"x({"kind":"image","src":"i.svg","alt":"I"},{"kind":"video","src":"v.mp4","alt":"V"},
{"kind":"image","src":"there.svg","alt":"T"},{"kind":"exercise","markdown":"Why?","starter":"s.cpp"})x"));
  write_file(here / "a.assets/there.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  const Said rendered = call("render a.json -o site", here.path());
  EXPECT_EQ(
      rendered.err,
      "lectern: a.cpp:2: warning: the image i.svg is not among the lecture's files; run the lecture again\n"
      "lectern: a.cpp:2: warning: the video v.mp4 is not among the lecture's files; run the lecture again\n"
      "lectern: a.cpp:2: warning: the starter file s.cpp is not among the lecture's files; "
      "run the lecture again\n");
  for (const char* const form : {"edtrace", "markdown", "ipynb"}) {
    const Said said = call(std::string("export a.json -o out --to ") + form, here.path());
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.err, rendered.err) << form;
  }
}

TEST(Import, MakesATraceNamedByItsFile) {
  const test::TemporaryFolder here;
  const std::string theirs =
      (fs::path(LECTERN_SOURCE_DIR) / "tests/edtrace/traces/tensors_2025.json").string();
  const Said said = call("import '" + theirs + "' -o lecture_07.json", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_TRUE(has(read_file(here / "lecture_07.json"), "\"lecture\":\"lecture_07\""));
}

TEST(Diff, ComparesTracesOfEdtrace) {
  const test::TemporaryFolder here;
  const fs::path fixtures = fs::path(LECTERN_SOURCE_DIR) / "tests/edtrace/traces";
  std::string text = read_file(fixtures / "tensors_later.json");
  write_file(here / "old.json", text);
  EXPECT_EQ(call("diff old.json old.json", here.path()).status, 0);
  const std::string value = "\"best\": {\"type\": \"int\", \"contents\": 7";
  ASSERT_TRUE(has(text, value));
  text.replace(text.find(value) + value.size() - 1, 1, "8");
  write_file(here / "new.json", text);
  const Said said = call("diff old.json new.json", here.path());
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_TRUE(has(said.out, "best")) << said.out;
  EXPECT_EQ(call("diff old.json '" + (fixtures / "tensors_2025.json").string() + "'", here.path()).status, 1);
}

TEST(Import, RefusesWhatIsNoTraceAndLeavesNothing) {
  const test::TemporaryFolder here;
  const fs::path sample = fs::path(LECTERN_SOURCE_DIR) / "tests/site/sample.json";
  write_file(here / "broken.json", "{\"files\":{},\n\"steps\":[{}]}");
  const auto refused = [&](const std::string& arguments, int status, const std::string& message) {
    const Said said = call(arguments, here.path());
    EXPECT_EQ(said.status, status) << arguments;
    EXPECT_TRUE(has(said.err, message)) << said.err;
  };
  refused("import broken.json -o x.json", 1, "lectern: broken.json: step 0: it has no \"stack\"");
  refused("import '" + sample.string() + "' -o x.json", 1, "this is not a trace of edtrace");
  refused("import missing.json -o x.json", 1, "lectern: missing.json: cannot be read");
  refused("export missing.json --to edtrace -o x.json", 1, "lectern: missing.json: cannot be read");
  refused("export broken.json --to edtrace -o x.json", 1, "broken.json: step 0");
  refused("export '" + sample.string() + "' --to pdf -o x.json", 2, "see `lectern export --help`");
  refused("export '" + sample.string() + "' -o x.json", 2, "--to is required");
  refused("export '" + sample.string() + "' --to edtrace --generation 1 -o x.json", 2, "--generation");
  refused("export '" + sample.string() + "' --to ipynb --files-url x -o x.json", 1,
          "--generation and --files-url are for edtrace");
  refused("import broken.json", 2, "see `lectern import --help`");
  EXPECT_FALSE(fs::exists(here / "x.json"));
  for (const char* const command : {"export", "import"})
    EXPECT_TRUE(has(call(std::string(command) + " --help", here.path()).out, "Exit status: 0 done"));
}

/// The lectures of this repository; somebody may write one while the tests run.
std::set<std::string> lectures_there() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "lectures")) {
    if (entry.path().extension() == ".cpp") names.insert(entry.path().stem());
  }
  return names;
}

TEST(Build, ListsTheLecturesWhenThereIsNoSuchOne) {
  const test::TemporaryFolder here;
  const auto before = lectures_there();
  const Said said = call("build no_such_lecture", here.path());
  const auto after = lectures_there();
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(said.err.starts_with("lectern: there is no lecture `no_such_lecture`")) << said.err;
  for (const auto& name : before) EXPECT_TRUE(!after.contains(name) || has(said.err, name)) << said.err;
}

TEST(Build, RefusesANameThatAnotherLectureOfTheSiteHas) {
  const test::TemporaryFolder here;
  for (const auto& name : lectures_there()) {
    write_file(here.path() / (name + ".cpp"), "int main() {}\n");
    const Said said = call("build " + name + ".cpp", here.path());
    if (!lectures_there().contains(name)) continue;
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(has(said.err, "has the same name in this site; rename one")) << said.err;
  }
}

TEST(Build, RefusesWhatIsNoCppFile) {
  const test::TemporaryFolder here;
  write_file(here.path() / "notes.txt", "prose");
  const Said said = call("build notes.txt", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_EQ(said.err, "lectern: notes.txt: this is not a C++ file; name one that ends in .cpp\n");
}

TEST(Build, NamesTheFolderThatCannotBeMade) {
  const test::TemporaryFolder here;
  write_file(here.path() / "file", "");
  write_file(here.path() / "outside_lecture.cpp", "int main() {}\n");
  const Said said = call("build outside_lecture.cpp --out file/site", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "file/site: the folder cannot be made: Not a directory; ")) << said.err;
}

TEST(Instrument, NamesThePlaceThatCannotBeLookedAt) {
  const test::TemporaryFolder here;
  write_file(here.path() / "averages.cpp", "int main() {}\n");
  fs::create_symlink("loop", here.path() / "loop");
  const Said said = call("instrument averages.cpp -o loop/averages.cpp", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "loop/averages.cpp: Too many levels of symbolic links; choose another place"))
      << said.err;
}

TEST(Build, WantsATimeLimitInSeconds) {
  const test::TemporaryFolder here;
  for (const char* bad : {"nan", "abc", "-1", "inf", "10s", "''", "1e300"}) {
    for (const char* command : {"build --timeout=", "run /bin/true -o a.json --timeout="}) {
      const Said said = call(std::string(command) + bad, here.path());
      EXPECT_EQ(said.status, 2) << bad;
      EXPECT_TRUE(has(said.err, "is not a number of seconds; give one like 90") || bad == std::string("''"))
          << said.err;
    }
  }
}

TEST(Instrument, WritesProbesAndNamesWhatItRead) {
  const test::TemporaryFolder here;
  write_file(here.path() / "a.cpp", "int main() {\n  int x = 1;  // @inspect x\n  return x - 1;\n}\n");
  const Said said = call("instrument a.cpp -o out/a.cpp --depfile out/a.d --summary", here.path());
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, "a.cpp: 1 functions traced, 0 not\n");
  EXPECT_TRUE(has(read_file(here.path() / "out/a.cpp"), "int x = 1;"));
  EXPECT_TRUE(has(read_file(here.path() / "out/a.d"), "a.cpp"));
}

TEST(Instrument, NamesTheLineOfAMisspeltDirective) {
  const test::TemporaryFolder here;
  write_file(here.path() / "a.cpp", "int main() {\n  int x = 1;  // @inspct x\n  return x - 1;\n}\n");
  const Said said = call("instrument a.cpp -o out.cpp", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "a.cpp:2:")) << said.err;
  EXPECT_TRUE(has(said.err, "error:")) << said.err;
  EXPECT_FALSE(fs::exists(here.path() / "out.cpp"));
}

TEST(Instrument, RefusesAFileThatIsNotThere) {
  const test::TemporaryFolder here;
  const Said said = call("instrument none.cpp -o out.cpp", here.path());
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(has(said.err, "none.cpp")) << said.err;
}

TEST(Run, SaysThatAProgramIsNoLecture) {
  const test::TemporaryFolder here;
  const Said said = call("run /bin/true -o a.json", here.path());
  EXPECT_NE(said.status, 0);
  EXPECT_TRUE(said.err.starts_with("lectern: ")) << said.err;
  EXPECT_FALSE(fs::exists(here.path() / "a.json"));
}

TEST(Run, RefusesWhatNamesNoTrace) {
  const test::TemporaryFolder here;
  for (const char* output : {"folder/", "''", "."}) {
    const Said said = call(std::string("run /bin/true -o ") + output, here.path());
    EXPECT_EQ(said.status, 1);
    EXPECT_TRUE(has(said.err, "names no file for the trace; give one like NAME.json")) << said.err;
  }
  EXPECT_TRUE(fs::is_empty(here.path()));
}

TEST(Render, RefusesALectureThatWouldReplaceTheHomePage) {
  const test::TemporaryFolder here;
  write_file(here.path() / "a.json",
             "{\"format\":\"lectern-trace/1\",\n\"lecture\":\"index.html\",\n\"profile\":{},\n\"records\":[\n"
             "{\"end\":\"return\",\"status\":0,\"steps\":0}\n]}\n");
  const Said said = call("render a.json -o site", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "the site has something else of the name \"index.html\"")) << said.err;
}

TEST(Render, NamesATraceThatCannotBeRead) {
  const test::TemporaryFolder here;
  write_file(here.path() / "broken.json", "{]");
  const Said said = call("render broken.json -o site", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "broken.json")) << said.err;
}

TEST(Doctor, NamesVersions) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path());
  EXPECT_EQ(said.status, 0);
  EXPECT_TRUE(has(said.out, "cmake version 3.")) << said.out;
  EXPECT_TRUE(has(said.out, "GPU ")) << said.out;
}

TEST(Doctor, SaysWhatIsMissingAndHowToGetIt) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path(), "PATH=/nonexistent");
  EXPECT_EQ(said.status, 3);
  EXPECT_TRUE(has(said.out, ": install g++")) << said.out;
}

TEST(Home, IsRefusedWhenItIsNone) {
  const test::TemporaryFolder here;
  const Said said = call("doctor", here.path(), "LECTERN_HOME=/nonexistent");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "LECTERN_HOME is /nonexistent, which has no share/lectern")) << said.err;
}

}  // namespace
}  // namespace lectern::cli
