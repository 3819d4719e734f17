#include "trace/audience.h"

#include <gtest/gtest.h>

#include "has.h"
#include "trace/remaining_answers.h"
#include "trace/writer.h"

namespace lectern {
namespace {

using test::has;

/// A run in which each statement of main shows something.
Trace shown(const std::vector<std::string>& statements, const std::vector<std::string>& renderings) {
  Trace trace;
  trace.format = "lectern-trace/1";
  trace.lecture = "secrets";
  trace.end.by = "return";
  SourceFile source;
  source.path = "secrets.cpp";
  source.language = "cpp";
  source.lines.emplace_back("int main() {");
  trace.stacks.push_back({});
  for (std::size_t i = 0; i < statements.size(); ++i) {
    source.lines.push_back("  " + statements[i]);
    const int line = static_cast<int>(source.lines.size()), end = static_cast<int>(statements[i].size()) + 3;
    Site site;
    site.span = {line, 3, line, end};
    site.kind = SiteKind::hook;
    trace.sites.push_back(site);
    if (i >= renderings.size()) continue;
    Step step;
    step.site = static_cast<int>(i);
    step.text = R"({"show":[)" + renderings[i] + "]}";
    trace.steps.push_back(step);
  }
  source.lines.emplace_back("}");
  TracedFunction main;
  main.name = "main";
  main.span = {1, 1, static_cast<int>(source.lines.size()), 2};
  trace.functions.push_back(main);
  trace.sources.push_back(std::move(source));
  return trace;
}

const std::string kNote = R"({"kind":"note","markdown":"Say this slowly."})";
const std::string kAnswer = R"({"kind":"exercise","markdown":"Why?","answer":"Since it is even."})";
const std::string kDated =
    R"({"kind":"exercise","markdown":"Why?","answer":"Since it is even.","answer_from":"2026-12-01"})";

std::string for_students(const Trace& trace, const std::string& date = "2026-11-30") {
  const Trace censored = for_audience(trace, {.students = true, .date = date});
  for (std::size_t i = 0; i < trace.sources[0].lines.size(); ++i)
    EXPECT_EQ(censored.sources[0].lines[i].size(), trace.sources[0].lines[i].size()) << "columns stay";
  return write_trace(censored);
}

TEST(Audience, OfTeachersHasAll) {
  const Trace trace = shown({R"(note("Say this slowly.");)"}, {kNote});
  EXPECT_EQ(for_audience(trace, {}), trace);
}

TEST(Audience, OfStudentsHasNoNotes) {
  for (const char* statement :
       {R"(note("Say this slowly.");)", R"(lectern::note(fmt::format("Say {}", "this slowly."));)",
        R"(if (x) note(R"x(Say this slowly.)x"); else note("or not");)",
        R"(text("a"), note("Say this slowly.");)", R"(note("Say this slowly."), text("a");)"}) {
    const std::string written = for_students(shown({statement, "int kept = 1;"}, {kNote}));
    for (const char* secret : {"slowly", "Say ", "or not", "note("})
      EXPECT_FALSE(has(written, secret)) << written;
    EXPECT_TRUE(has(written, "int kept = 1;"));
  }
}

TEST(Audience, OfStudentsHasNoTextOfWhichASecretWasMade) {
  const std::string written =
      for_students(shown({"note(words);", R"(const char* words = "Say this slowly.";  // Say this slowly.)",
                          R"(const char* first = "Say this";)", R"(const char* other = "Say that";)"},
                         {kNote}));
  EXPECT_FALSE(has(written, "this slowly"));
  EXPECT_FALSE(has(written, "Say this")) << written;
  EXPECT_TRUE(has(written, "Say that"));
}

TEST(Audience, OfStudentsHasNoAnswersBeforeTheirDay) {
  const std::string starter = for_students(shown({R"(exercise("Why?", {.starter = "merge"});)"}, {}));
  EXPECT_TRUE(has(starter, R"(exercise(\"Why?\", {.starter = \"merge\"});)")) << starter;
  const std::string answered =
      for_students(shown({R"(exercise("Why?", {.answer = "Even.", .starter = "merge"});)"}, {}));
  EXPECT_FALSE(has(answered, "Even")) << answered;
  const std::string undated = for_students(shown({R"(exercise("Why?", "Since it is even.");)"}, {kAnswer}));
  EXPECT_FALSE(has(undated, "even"));
  EXPECT_TRUE(has(undated, R"(exercise(\"Why?\")")) << undated;
  const Trace dated =
      shown({R"(exercise("Why?", {.answer = "Since it is even.", .answer_from = "2026-12-01"});)"}, {kDated});
  EXPECT_FALSE(has(for_students(dated), "even"));
  for (const char* day : {"2026-12-01", "2027-01-01"}) {
    EXPECT_TRUE(has(for_students(dated, day), R"("answer":"Since it is even.")"));
    EXPECT_TRUE(has(for_students(dated, day), R"({.answer = \"Since it is even.\")"));
  }
}

TEST(Audience, OfStudentsHasNeitherWhatNeverRan) {
  const std::string written = for_students(
      shown({R"(note("Say this slowly.");)", R"(exercise("Why?", answer(1, "Since it is even."));)"}, {}));
  EXPECT_FALSE(has(written, "slowly"));
  EXPECT_FALSE(has(written, "even"));
}

TEST(Audience, OfStudentsKeepsFunctionsOfTheNames) {
  const std::string written = for_students(shown({"void note(int pitch) {}", "piano.note(440);"}, {}));
  EXPECT_TRUE(has(written, "void note(int pitch)"));
  EXPECT_TRUE(has(written, "piano.note(440);"));
}

/// "site: problem" of each answer that students can still read.
std::string remaining(const Trace& trace) {
  std::string lines;
  for (const RemainingAnswer& answer : remaining_answers(trace, {.students = true, .date = "2026-11-30"}))
    lines += std::to_string(answer.site) + ": " + answer.problem + "\n";
  return lines;
}

TEST(RemainingAnswers, OfPiecesOrShownElsewhereAreTold) {
  EXPECT_EQ(remaining(shown({R"(exercise("Why?", "Since it" " is even.");)"}, {kAnswer})), "");
  const std::string pieces = remaining(shown({R"(exercise("Why?", "Since it is " + word);)"}, {kAnswer}));
  EXPECT_TRUE(has(pieces, "0: exercise: its answer is no literal")) << pieces;
  const std::vector<std::string> statements = {R"(exercise("Why?", "Since it is even.");)", "f(answer);"};
  Trace inspected = shown(statements, {kAnswer, R"({"kind":"text","markdown":"x"})"});
  EXPECT_EQ(remaining(inspected), "");
  inspected.steps[1].text = R"({"vars":{"answer":{"type":"std::string","value":"Since it is even."}}})";
  EXPECT_TRUE(
      has(remaining(inspected), "1: students see an exercise's answer in what this shows or inspects"))
      << remaining(inspected);
  EXPECT_TRUE(remaining_answers(inspected, {}).empty());
  EXPECT_EQ(remaining(shown({R"(exercise("Why?", a + b);)"},
                            {R"({"kind":"exercise","markdown":"Why?","answer":"Since it is even.",)"
                             R"("answer_from":"2026-11-01"})"})),
            "")
      << "its day has come";
}

}  // namespace
}  // namespace lectern
