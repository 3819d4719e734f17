#include "cli/progress.h"

#include <csignal>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lectern::cli {
namespace {

TEST(Progress, NamesTheStepsOfALecture) {
  EXPECT_EQ(lecture_step("Running tensors"), "Running tensors");
  EXPECT_EQ(lecture_step(
                "Building CXX object lectures/CMakeFiles/lecture-tensors.dir/tensors.traced/tensors.cpp.o"),
            "Compiling tensors");
  EXPECT_EQ(lecture_step("Linking CXX executable lectures/lecture-tensors"), "");
  EXPECT_EQ(lecture_step("Building CXX object engine/site/CMakeFiles/lectern_site.dir/html.cpp.o"), "");
  EXPECT_EQ(lecture_step("Building CXX object engine/lecture/CMakeFiles/lectern_lecture.dir/hooks.cpp.o"),
            "");
}

TEST(Progress, PassesCompilerErrorsOnWithoutTheCommand) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.add("[1 0/9] Instrumenting tensors.cpp");
    progress.add("[2 1/9] Linking CXX executable x");
    progress.add("FAILED: x.o");
    progress.add("/usr/bin/c++ -O1 -c x.cpp");
    progress.add("/home/author/tensors.cpp:3:10: error: 'y' was not declared");
    progress.add("[note] square brackets of a lecture");
    progress.add("-- Configuring done");
    progress.add("ninja: build stopped: subcommand failed.");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "  Instrumenting tensors.cpp\n"
            "/home/author/tensors.cpp:3:10: error: 'y' was not declared\n"
            "[note] square brackets of a lecture\n");
}

TEST(Progress, SaysWhatToDoAboutANameOfLecterns) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.add("a/tensors.cpp:9:3: error: reference to \u2018optim\u2019 is ambiguous");
    progress.add("a/tensors.cpp:10:3: error: reference to 'cpu' is ambiguous");
    progress.add("a/tensors.cpp:11:3: error: reference to \u2018mine\u2019 is ambiguous");
    progress.add("a/tensors.cpp:12:3: error: call of overloaded \u2018optimal(int)\u2019 is ambiguous");
    progress.add("a/tensors.cpp:13:3: error: \u2018optim\u2019 was not declared in this scope");
  }
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "a/tensors.cpp:9:3: error: reference to \u2018optim\u2019 is ambiguous\n"
      "lectern: a/tensors.cpp:9:3: `optim` is also Lectern's namespace for optimizers; give yours another "
      "name, or write ::optim for it\n"
      "a/tensors.cpp:10:3: error: reference to 'cpu' is ambiguous\n"
      "lectern: a/tensors.cpp:10:3: `cpu` is also Lectern's name of the CPU as a device; give yours "
      "another name, or write ::cpu for it\n"
      "a/tensors.cpp:11:3: error: reference to \u2018mine\u2019 is ambiguous\n"
      "a/tensors.cpp:12:3: error: call of overloaded \u2018optimal(int)\u2019 is ambiguous\n"
      "a/tensors.cpp:13:3: error: \u2018optim\u2019 was not declared in this scope\n");
}

/// The messages that are told of a compiler's lines.
std::string told(const std::vector<std::string>& lines) {
  Progress progress;
  testing::internal::CaptureStderr();
  for (const std::string& line : lines) progress.add(line);
  testing::internal::GetCapturedStderr();
  return progress.messages();
}

TEST(Progress, ANoteTellsThatANameIsLecterns) {
  const std::string error = "a/tensors.cpp:9:3: error: reference to \u2018Error\u2019 is ambiguous";
  const std::string note = "engine/base/error.h:20:7: note: candidates are: \u2018class lectern::Error\u2019";
  const std::string remedy =
      "lectern: a/tensors.cpp:9:3: `Error` is also Lectern's; give yours another name, or write ::Error for "
      "it";
  EXPECT_EQ(told({error, note, note}), error + "\n" + note + "\n" + remedy + "\n" + note + "\n");
  for (const std::string other : {"x.h:1:1: note: candidates are: \u2018class other::Error\u2019",
                                  "x.h:1:1: note: candidates are: \u2018class lectern::Errors\u2019"}) {
    EXPECT_EQ(told({error, other}), error + "\n" + other + "\n");
  }
  const std::string overloads =
      "a/tensors.cpp:9:3: error: call of overloaded \u2018Error()\u2019 is ambiguous";
  EXPECT_EQ(told({overloads, note}), overloads + "\n" + note + "\n");
}

TEST(Progress, GccNamesAnAliasWithoutItsNamespace) {
  const std::string error = "a/tensors.cpp:9:3: error: reference to \u2018Half\u2019 is ambiguous";
  const std::string remedy =
      "lectern: a/tensors.cpp:9:3: `Half` is also Lectern's; give yours another name, or write ::Half for "
      "it\n";
  for (const std::string note :
       {"engine/base/small_float.h:125:7: note: candidates are: \u2018using Half = struct "
        "lectern::SmallFloat<5, 10, 32256>\u2019",
        "engine/ops/a.h:57:7: note: candidates are: \u2018template<int n> using Half = "
        "lectern::Annotated<n>\u2019",
        "/usr/include/lectern/ops/a.h:12:7: note: candidates are: \u2018using Half = long unsigned "
        "int\u2019"})
    EXPECT_EQ(told({error, note}), error + "\n" + note + "\n" + remedy);
  for (const std::string other :
       {"a/x.h:1:1: note: candidates are: \u2018using Half = float\u2019",
        "a/x.h:1:1: note: candidates are: \u2018using Halfs = lectern::Half2\u2019"})
    EXPECT_EQ(told({error, other}), error + "\n" + other + "\n");
}

TEST(Progress, AFormatThatIsRefusedIsToldInItsWords) {
  EXPECT_EQ(
      told({"a.cpp:5:7:   in \u2018constexpr\u2019 expansion of "
            "\u2018lectern::FormatString<int>(\"{:q}\")\u2019",
            "a.cpp:5:7:   in \u2018constexpr\u2019 expansion of "
            "\u2018fmt::v9::basic_format_string<char>()\u2019",
            "/usr/include/fmt/core.h:2256:22: error: \u2018void on_error()\u2019 called in a constant "
            "expression",
            " 2256 |     context_.on_error(message);",
            "/usr/include/fmt/core.h:718:27: error: call to non-\u2018constexpr\u2019 function",
            "a.cpp:6:3: error: other"}),
      "lectern: a.cpp:5:7: the format \"{:q}\" does not fit its arguments; each field's specification is one "
      "for its argument's type, as {:.2f} for a double\na.cpp:6:3: error: other\n");
  EXPECT_EQ(told({"a.cpp:6:7:   in 'constexpr' expansion of 'lectern::FormatString<int>(\"{} {}\")'",
                  "lecture/format_string.h:119:107: error: call to non-'constexpr' function 'void "
                  "lectern::format_strings::the_format_has_more_fields_than_arguments()'"}),
            "lectern: a.cpp:6:7: the format \"{} {}\" has more fields than there are arguments; give one for "
            "each {} "
            "and {:\u2026}, and write {{}} for {}\n");
  EXPECT_EQ(
      told({"b.cpp:5:8: error: call to consteval function 'lectern::FormatString<int>::FormatString<5UL>' is "
            "not a constant expression",
            "  text(\"{:q}\", 1);", "b.cpp:5:8: note: in call to 'FormatString(\"{:q}\")'"}),
      "lectern: b.cpp:5:8: the format does not fit its arguments; each field's specification is one for its "
      "argument's type, as {:.2f} for a double\n");
}

TEST(Progress, SaysHowAHookIsCalledWhoseArgumentsAreRefused) {
  const std::string remedy =
      "line_plot does not take these arguments; write line_plot(y, {.title = \"\u2026\"}) or line_plot(x, y, "
      "{.title = \"\u2026\"})\n";
  const std::string source = "    6 |   line_plot({.title = \"Loss\"}, losses);";
  EXPECT_EQ(
      told({"a.cpp: In function \u2018int main()\u2019:",
            "a.cpp:6:12: error: no matching function for call to \u2018line_plot(<brace-enclosed initializer "
            "list>, std::vector<double>&)\u2019",
            source, "In file included from engine/lecture/include/lectern/lecture.h:25,",
            "                 from a.cpp:1:",
            "engine/lecture/plots.h:182:6: note: candidate: \u2018void lectern::line_plot(const "
            "PlotData&)\u2019",
            "  182 | void line_plot(const PlotData& y);",
            "a.cpp:9:1: note: candidate: \u2018void line_plot(Mine)\u2019", "    9 | void line_plot(Mine);",
            "a.cpp:7:1: error: other"}),
      "a.cpp: In function \u2018int main()\u2019:\nlectern: a.cpp:6:12: " + remedy + source +
          "\na.cpp:9:1: note: candidate: \u2018void line_plot(Mine)\u2019\n    9 | void line_plot(Mine);\n"
          "a.cpp:7:1: error: other\n");
  EXPECT_EQ(told({"a.cpp:6:3: error: no matching function for call to 'line_plot'", source,
                  "engine/lecture/plots.h:183:6: note: candidate function not viable: cannot convert",
                  "void line_plot(const PlotNumbers& x);", "     ^", "1 error generated."}),
            "lectern: a.cpp:6:3: " + remedy + source + "\n");
  EXPECT_EQ(
      told({"a.cpp:6:10: error: cannot convert \u2018const char*\u2019 to \u2018lectern::Callout\u2019"}),
      "lectern: a.cpp:6:10: callout does not take these arguments; write callout(Callout::note, \"\u2026\", "
      "\"title\")\n");
  const std::string own = "a.cpp:6:3: error: no matching function for call to \u2018mean(int)\u2019";
  EXPECT_EQ(told({own, "a.cpp:1:1: note: candidate: \u2018void mean()\u2019"}),
            own + "\na.cpp:1:1: note: candidate: \u2018void mean()\u2019\n");
}

TEST(Progress, NamesAStepWhenItBegins) {
  testing::internal::CaptureStderr();
  Progress progress;
  progress.add("[1 0/4] Running first");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  Running first\n");
  testing::internal::CaptureStderr();
  progress.add("[2 0/4] Running second");
  progress.add("[2 1/4] Running first");
  progress.add("[2 2/4] Running second");
  progress.add("[4 3/4] Rendering first");  // only its end was told
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  Running second\n  Rendering first\n");
}

TEST(Progress, NamesNoStepTwice) {
  testing::internal::CaptureStderr();
  Progress progress;
  progress.add("[1 0/3] Building CXX object CMakeFiles/lecture-a.dir/a.traced/a.cpp.o");
  progress.add("[2 1/3] Building CXX object CMakeFiles/lecture-a.dir/a.traced/a/b.cpp.o");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  Compiling a\n");
}

TEST(Progress, KeepsMessages) {
  testing::internal::CaptureStderr();
  Progress progress;
  progress.add("[1 0/2] Running a");
  progress.add("a.cpp:3:10: error: no");
  progress.add("ninja: build stopped: subcommand failed.");
  for (int i = 0; i < 100; ++i) progress.add(std::string(1000, 'x'));
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(progress.messages().starts_with("a.cpp:3:10: error: no\nxxx")) << progress.messages();
  EXPECT_LE(progress.messages().size(), Progress::kMessageBytes);
}

TEST(Progress, SaysThatALectureHasNoMain) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.add("FAILED: lectures/lecture-empty ");
    progress.add(": && /usr/bin/c++ -o lectures/lecture-empty && :");
    progress.add("(.text+0x17): undefined reference to `main'");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "(.text+0x17): undefined reference to `main'\n"
            "lectern: empty: there is no main() in it; a lecture is a program: add `int main() { … }`\n");
}

/// What a person sees on a terminal of their own while `work` is done in a process of its own.
std::string seen_on_a_terminal(const std::function<void()>& work) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    work();
    _exit(0);
  }
  std::string seen;
  char buffer[256];
  for (ssize_t size; (size = read(terminal, buffer, sizeof buffer)) > 0;) {
    seen.append(buffer, static_cast<std::size_t>(size));
  }
  waitpid(child, nullptr, 0);
  close(terminal);
  return seen;
}

TEST(Progress, ShowsWhatIsRunningOnATerminal) {
  const std::string seen = seen_on_a_terminal([] {
    Progress progress;
    progress.add("[1 0/2] Re-checking globbed directories...");
    progress.add("[1 0/3] Running first");
    progress.add("[2 0/3] Running second");
    progress.add("[2 1/3] Running first");
  });
  const std::string clear = "\r\033[K";
  EXPECT_EQ(seen, clear + "[0/2] Re-checking globbed directories..." + clear + "[0/3] Running first" + clear +
                      "[0/3] Running first, Running second" + clear + "[1/3] Running second" + clear);
}

TEST(Progress, LeavesNoLineWhenASignalEndsIt) {
  const std::string seen = seen_on_a_terminal([] {
    Progress progress;
    progress.add("[1 0/3] Running first");
    raise(SIGINT);
  });
  EXPECT_EQ(seen, "\r\033[K[0/3] Running first\r\033[K");
}

TEST(Progress, KnowsWhoseRenderingFailed) {
  Progress progress;
  progress.add("FAILED: lectures/talk.page /work/lectures/talk.page ");
  progress.add("lectern render …");
  EXPECT_EQ(progress.failed_pages(), std::set<std::string>{"talk"});
  EXPECT_FALSE(progress.others_failed());
  progress.add("FAILED: lectures/CMakeFiles/lecture-talk.dir/talk.traced/talk.cpp.o ");
  progress.add("c++ …");
  EXPECT_EQ(progress.failed_pages(), std::set<std::string>{"talk"});
  EXPECT_TRUE(progress.others_failed());
}

}  // namespace
}  // namespace lectern::cli
