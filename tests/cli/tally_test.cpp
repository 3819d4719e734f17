#include "cli/tally.h"

#include <gtest/gtest.h>

namespace lectern::cli {
namespace {

TEST(Tally, CountsTheTestsOfCtest) {
  const Tally tally = tally_of_junit(R"(<?xml version="1.0"?>
<testsuite name="x" tests="5" failures="1">
  <testcase name="a.passes" classname="a" time="0.1" status="run"><system-out/></testcase>
  <testcase name="b.fails" classname="b" time="0.1" status="fail"><failure message=""/></testcase>
  <testcase name="c.skips" classname="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
  <testcase name="d.disabled" classname="d" status="disabled"><skipped message="Disabled"/></testcase>
  <testcase name="e.missing" classname="e" status="notrun"><skipped message="Unable to find executable"/></testcase>
</testsuite>)");
  EXPECT_EQ(tally.passed, 1);
  EXPECT_EQ(tally.failed, 2) << "a test that cannot be started has failed";
  EXPECT_EQ(tally.skipped, 2);
  EXPECT_EQ(tally.failures, (std::vector<std::string>{"b.fails", "e.missing"}));
}

TEST(Tally, CountsTheTestsOfNode) {
  const Tally tally = tally_of_tap(R"(TAP version 13
# Subtest: page
    ok 1 - opens
    not ok 2 - steps - back
not ok 1 - page
1..1
# tests 4
# pass 1
# fail 2
# cancelled 0
# skipped 1
# todo 0
)");
  EXPECT_EQ(tally.passed, 1);
  EXPECT_EQ(tally.failed, 2);
  EXPECT_EQ(tally.skipped, 1);
  EXPECT_EQ(tally.failures, (std::vector<std::string>{"steps - back", "page"}));
}

TEST(Tally, AddsUpAndPrints) {
  Tally sum{.passed = 2, .failed = 1, .skipped = 0, .failures = {"x"}};
  sum += Tally{.passed = 3, .failed = 0, .skipped = 4};
  EXPECT_EQ(to_string(sum), "5 passed, 1 failed, 4 skipped");
  EXPECT_EQ(sum.failures.size(), 1U);
}

}  // namespace
}  // namespace lectern::cli
