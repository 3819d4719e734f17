// What `@inspect *` records.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/run_program.h"

namespace lectern {
namespace {

using Lines = std::vector<std::string>;

/// Of the steps within functions "power 11 args n=3 vars n=2"; "×4" for passes left out.
Lines values(const std::string& how) {
  const test::Recorded recorded = test::run_program("locals", {how});
  Lines list;
  std::size_t number = 0;
  for (std::string line : recorded.lines()) {
    if (line.starts_with("\u00d7")) {
      list.push_back(line);
      continue;
    }
    const auto& step = recorded.steps[number++];
    line.erase(0, line.rfind('>') == std::string::npos ? 0 : line.rfind('>') + 2);
    if (line.starts_with("main")) continue;
    for (const char* field : {"args", "vars"}) {
      if (!step.contains(field)) continue;
      line += std::string(" ") + field;
      for (const auto& [name, value] : step[field].items()) line += " " + name + "=" + value["value"].dump();
    }
    list.push_back(line);
  }
  return list;
}

TEST(Locals, EachActivationHasItsArgumentsAndItsVariables) {
  EXPECT_EQ(values("power"),
            (Lines{"power 11 +1 args n=3 vars n=2", "power 12", "power 11 +1 args n=2 vars n=1", "power 12",
                   "power 11 +1 args n=1 vars n=0", "power 12"}))
      << "the argument as it was passed; what has not changed is not repeated";
}

TEST(Locals, AreRecordedAgainWhenTheirScopeIsEnteredAgain) {
  EXPECT_EQ(values("scopes"), (Lines{"scopes 13 +1 vars total=5", "scopes 14 vars i=0",
                                     "scopes 15 vars same=\"same\"", "scopes 14 vars i=1",
                                     "scopes 15 vars same=\"same\"", "scopes 14", "scopes 16 vars total=5"}));
}

TEST(Locals, OfPassesThatWereLeftOutAreRecordedInTheLast) {
  EXPECT_EQ(values("passes"), (Lines{"passes 17 +1 vars early=0", "passes 18", "passes 19", "\u00d74",
                                     "passes 18", "passes 19 vars early=1", "passes 18", "passes 20"}))
      << "early changed in a pass that the trace does not have";
}

TEST(Locals, ThatCannotBeReadShowTheirTypeOrAddress) {
  const test::Recorded recorded = test::run_program("locals", {"gone"});
  EXPECT_EQ(recorded.end["end"], "return");
  ASSERT_EQ(recorded.steps.size(), 4U) << "the run goes on";
  const auto& vars = recorded.steps[1]["vars"];
  EXPECT_EQ(vars["reference"].dump(), R"({"type":"std::string"})");
  EXPECT_EQ(vars["pointer"]["type"], "const std::string*");
  EXPECT_TRUE(vars["pointer"]["address"].get<std::string>().starts_with("0x"));
  EXPECT_EQ(vars["nowhere"].dump(), R"({"type":"int*","address":"0x10"})");
  EXPECT_EQ(vars["view"].dump(), R"({"type":"std::string_view"})");
}

}  // namespace
}  // namespace lectern
