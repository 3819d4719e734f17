#include "trace/identity.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(TokenHash, BlanksAndCommentsDoNotCount) {
  const std::string hash = token_hash("int x = f(a, 1);", "cpp");
  EXPECT_EQ(hash.size(), 8U);
  EXPECT_EQ(hash.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(token_hash("int  x=f( a,\n 1 ) ; // @inspect x", "cpp"), hash);
  EXPECT_EQ(token_hash("/* before */ int x = f(a, 1);", "cpp"), hash);
  EXPECT_NE(token_hash("int x = f(a, 2);", "cpp"), hash);
  EXPECT_NE(token_hash("intx = f(a, 1);", "cpp"), hash);
  EXPECT_NE(token_hash("f(\"a b\")", "cpp"), token_hash("f(\"a  b\")", "cpp"));
}

/// main calls f twice; f runs its two equal statements in a loop and calls itself once.
Trace example() {
  Trace trace;
  trace.sources.push_back({"a.cpp", "cpp", {"void f() { g(1); g( 1 ); g(2); }", "int main() { f(); f(); }"}});
  trace.functions.push_back({"lm::f", 0, {1, 1, 1, 33}, ""});
  trace.functions.push_back({"main", 0, {2, 1, 2, 25}, ""});
  trace.sites.push_back({0, {1, 12, 1, 17}});
  trace.sites.push_back({0, {1, 18, 1, 25}});
  trace.sites.push_back({0, {1, 26, 1, 31}});
  trace.sites.push_back({1, {2, 14, 2, 18}});
  trace.sites.push_back({1, {2, 19, 2, 23}});
  trace.stacks.push_back({1, "", -1, -1, 1});
  trace.stacks.push_back({0, "", 0, 3, 2});
  trace.stacks.push_back({0, "", 0, 4, 2});
  trace.stacks.push_back({0, "", 1, 2, 3});
  return trace;
}

TEST(SiteIdentities, CountEqualStatementsOfAFunction) {
  const std::vector<std::string> names = site_identities(example());
  const std::string one = "lm::f~" + token_hash("g(1);", "cpp");
  EXPECT_EQ(names, (std::vector<std::string>{one, one + "~2", "lm::f~" + token_hash("g(2);", "cpp"),
                                             "main~" + token_hash("f();", "cpp"),
                                             "main~" + token_hash("f();", "cpp") + "~2"}));
}

TEST(SiteIdentities, SurviveEditsElsewhere) {
  Trace moved = example();
  moved.sources[0].lines.insert(moved.sources[0].lines.begin(), "// a new line");
  for (Site& site : moved.sites) {
    ++site.span.line;
    ++site.span.end_line;
  }
  EXPECT_EQ(site_identities(moved), site_identities(example()));
}

Step step(int site, int stack, int enter = 0, bool after = false) {
  Step step;
  step.site = site;
  step.stack = stack;
  step.enter = enter;
  step.after = after;
  return step;
}

TEST(Passes, CountExecutionsWithinActivations) {
  Trace trace = example();
  trace.steps = {
      step(3, 0, 1),                    // main: first call
      step(0, 1, 1),                    // f, first activation
      step(0, 1),                       //   the same statement again, in a loop
      step(2, 1),                       //   calls itself
      step(0, 3, 1),                    //   second activation, inside of the first
      step(2, 1, 0, true), step(0, 1),  //   the first goes on
      step(3, 0, 0, true), step(4, 0),  // main: second call
      step(0, 2, 1),                    // f, third activation
      step(4, 0, 0, true),
  };
  const std::vector<std::pair<int, int>> expected{{1, 1}, {1, 1}, {2, 1}, {1, 1}, {1, 2}, {1, 1},
                                                  {3, 1}, {1, 1}, {1, 1}, {1, 3}, {1, 1}};
  const std::vector<Pass> found = passes(trace);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].execution, expected[i].first) << "step " << i;
    EXPECT_EQ(found[i].activation, expected[i].second) << "step " << i;
  }
}

TEST(Passes, AnActivationAnewAtTheSameStackIsAnother) {
  Trace trace = example();
  trace.steps = {step(3, 0, 1), step(0, 1, 1), step(0, 1, 1), step(0, 1)};
  const std::vector<Pass> found = passes(trace);
  EXPECT_EQ(found[1].activation, 1);
  EXPECT_EQ(found[2].activation, 2);
  EXPECT_EQ(found[2].execution, 1);
  EXPECT_EQ(found[3].execution, 2);
}

TEST(Passes, SeveralFramesMayBeginAtOnce) {
  Trace trace = example();
  trace.steps = {step(0, 3, 3), step(2, 1, 0, true)};
  const std::vector<Pass> found = passes(trace);
  EXPECT_EQ(found[0].activation, 2) << "the outer frame of the same function began first";
  EXPECT_EQ(found[1].activation, 1);
  EXPECT_EQ(found[1].execution, 1);
}

TEST(Passes, CountThoseThatWereLeftOut) {
  Trace trace = example();
  trace.steps = {step(3, 0, 1), step(0, 1, 1), step(1, 1), step(0, 1), step(1, 1), step(4, 0), step(0, 2, 1)};
  trace.left_out = {
      {.loop = 0, .stack = 1, .passes = 96, .runs = {{0, 96}, {1, 48}}, .calls = {{0, 7}}, .before = 3},
      {.loop = 0, .stack = 2, .passes = 2, .runs = {{0, 2147483647}}, .before = 7}};
  const std::vector<Pass> found = passes(trace);
  EXPECT_EQ(found[1].execution, 1);
  EXPECT_EQ(found[3].execution, 98);
  EXPECT_EQ(found[4].execution, 50);
  EXPECT_EQ(found[6].execution, 1) << "another activation";
  EXPECT_EQ(found[6].activation, 9) << "1, then 7 that were left out";
}

}  // namespace
}  // namespace lectern
