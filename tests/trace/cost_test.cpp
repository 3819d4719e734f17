#include "trace/cost.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

/// main (function 1) has a call of f at site 0 and a statement of its own, site 1; f (function 0) has a
/// recursive call at site 2 and a statement, site 3.
Trace costly_recursion() {
  Trace trace;
  trace.sources.push_back(
      {"a.cpp", "cpp", {"void f(int n) { if (n > 0) f(n - 1); work(); }", "int main() { f(1); x(); }"}});
  trace.functions.push_back({"f", 0, {1, 1, 1, 47}, ""});
  trace.functions.push_back({"main", 0, {2, 1, 2, 26}, ""});
  trace.sites.push_back({1, {2, 14, 2, 19}});
  trace.sites.push_back({1, {2, 20, 2, 24}});
  trace.sites.push_back({0, {1, 28, 1, 37}});
  trace.sites.push_back({0, {1, 38, 1, 45}});
  trace.stacks.push_back({.function = 1, .depth = 1});
  trace.stacks.push_back({.function = 0, .parent = 0, .call = 0, .depth = 2});
  trace.stacks.push_back({.function = 0, .parent = 1, .call = 2, .depth = 3});
  return trace;
}

void add_step(Trace& trace, int site, int stack, int enter, bool after, std::int64_t ns,
              const StepDetails& details = {}) {
  Step& step =
      trace.steps.emplace_back(Step{.site = site, .stack = stack, .enter = enter, .after = after, .ns = ns});
  step.set_details(details);
}

Cost time(std::int64_t ns) {
  return {.ns = ns};
}

TEST(CostAccount, RecursionCountsOnce) {
  Trace trace = costly_recursion();
  add_step(trace, 0, 0, 1, false, 1);    // main: f(1)
  add_step(trace, 2, 1, 1, false, 10);   //   f(1): f(0)
  add_step(trace, 3, 2, 1, false, 100);  //     f(0): work
  add_step(trace, 2, 1, 0, true, 20);    //   after it
  add_step(trace, 3, 1, 0, false, 200);  //   f(1): work
  add_step(trace, 0, 0, 0, true, 2);     // main: after it
  add_step(trace, 1, 0, 0, false, 1000);
  const CostAccount account = cost_account(trace);
  EXPECT_EQ(account.total, time(1333));
  EXPECT_EQ(account.functions[1], (CostEntry{1, time(1003), time(1333), {}}));
  EXPECT_EQ(account.functions[0], (CostEntry{2, time(330), time(330), {}}));
  EXPECT_EQ(account.sites[0], (CostEntry{1, time(3), time(333), {}}));
  EXPECT_EQ(account.sites[1], (CostEntry{1, time(1000), time(1000), {}}));
  EXPECT_EQ(account.sites[2], (CostEntry{1, time(30), time(130), {}}));
  EXPECT_EQ(account.sites[3], (CostEntry{2, time(300), time(300), {}}));
}

TEST(CostAccount, CallsOneAfterTheOtherAllCount) {
  Trace trace = costly_recursion();
  add_step(trace, 0, 0, 1, false, 1);
  add_step(trace, 3, 1, 1, false, 10);
  add_step(trace, 0, 0, 0, true, 1);
  add_step(trace, 0, 0, 0, false, 1);
  add_step(trace, 3, 1, 1, false, 100);
  const CostAccount account = cost_account(trace);
  EXPECT_EQ(account.sites[0], (CostEntry{2, time(3), time(113), {}}));
  EXPECT_EQ(account.functions[0], (CostEntry{2, time(110), time(110), {}}));
}

TEST(CostAccount, WhatRunsWithinAnotherStatementOfItsLineCountsOnceForTheLine) {
  Trace trace = costly_recursion();
  trace.functions.push_back({"lambda", 0, {2, 16, 2, 18}, ""});
  trace.sites.push_back({2, {2, 17, 2, 18}});  // site 4, on the line of its caller, site 0
  trace.stacks.push_back({.function = 2, .parent = 0, .call = 0, .depth = 2});
  add_step(trace, 0, 0, 1, false, 1);
  add_step(trace, 4, 3, 1, false, 10);
  add_step(trace, 0, 0, 0, true, 2);
  add_step(trace, 1, 0, 0, false, 100);
  const CostAccount account = cost_account(trace);
  EXPECT_EQ(account.sites[0].total, time(13));
  EXPECT_EQ(account.sites[4].total, time(10));
  EXPECT_EQ(account.line_totals, (std::vector<Cost>{time(13), time(100), {}, {}, {}}));
}

TEST(CostAccount, OperationsBytesAndPeaks) {
  Trace trace = costly_recursion();
  StepDetails first, second;
  first.flops = 5;
  first.memory = {{"cpu", {10, 40}}};
  first.categories = {{"cpu", {4, 3, 2, 1}}};
  second.flops = 7;
  second.bytes = 8;
  second.memory = {{"cuda:0", {1, 2}}, {"cpu", {10, 30}}};
  add_step(trace, 0, 0, 1, false, 1, first);
  add_step(trace, 3, 1, 1, false, 1, second);
  const CostAccount account = cost_account(trace);
  EXPECT_EQ(account.total, (Cost{2, 12, 8}));
  EXPECT_EQ(account.devices, (std::vector<std::string>{"cpu", "cuda:0"}));
  EXPECT_EQ(account.functions[1].peak, (std::vector<std::int64_t>{40, 2})) << "with what it called";
  EXPECT_EQ(account.functions[0].peak, (std::vector<std::int64_t>{30, 2}));
  EXPECT_EQ(account.sites[0].total, (Cost{2, 12, 8}));
  EXPECT_EQ(account.sites[0].self, (Cost{1, 5, 0}));
  EXPECT_EQ(account.steps[0].categories, (std::vector<DeviceCategories>{{0, {4, 3, 2, 1}}}));
  EXPECT_TRUE(account.steps[1].categories.empty()) << "as before";
}

TEST(CostAccount, DeepRecursionTakesNoStackOfItsOwn) {
  Trace trace = costly_recursion();
  constexpr int kDepth = 200'000;
  for (int i = 2; i < kDepth; ++i)
    trace.stacks.push_back({.function = 0, .parent = i - 1, .call = 2, .depth = i + 1});
  add_step(trace, 0, 0, 1, false, 1);
  for (int i = 1; i < kDepth; ++i) add_step(trace, 2, i, 1, false, 1);
  const CostAccount account = cost_account(trace);
  EXPECT_EQ(account.functions[0].total, time(kDepth - 1));
  EXPECT_EQ(account.sites[2].total, time(kDepth - 1));
  EXPECT_EQ(account.functions[0].runs, kDepth - 1);
}

TEST(CostAccount, OfNothing) {
  const CostAccount account = cost_account(Trace());
  EXPECT_EQ(account.total, Cost());
  EXPECT_TRUE(account.devices.empty());
}

}  // namespace
}  // namespace lectern
