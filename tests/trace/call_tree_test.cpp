#include "trace/call_tree.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

/// main (function 0) calls f (function 1) at site 0; f calls itself at site 1, and has a statement, site 2.
Trace recursion() {
  Trace trace;
  trace.sources.push_back(
      {"a.cpp", "cpp", {"int main() { f(1); }", "void f(int n) { if (n) f(0); work(); }"}});
  trace.functions.push_back({"main", 0, {1, 1, 1, 21}, ""});
  trace.functions.push_back({"f", 0, {2, 1, 2, 39}, ""});
  trace.sites.push_back({0, {1, 14, 1, 19}});
  trace.sites.push_back({1, {2, 24, 2, 29}});
  trace.sites.push_back({1, {2, 30, 2, 37}});
  trace.stacks.push_back({.function = 0, .depth = 1});
  trace.stacks.push_back({.function = 1, .parent = 0, .call = 0, .depth = 2});
  trace.stacks.push_back({.function = 1, .parent = 1, .call = 1, .depth = 3});
  const auto step = [&](int site, int stack, int enter, bool after, std::int64_t ns) {
    trace.steps.push_back(Step{.site = site, .stack = stack, .enter = enter, .after = after, .ns = ns});
  };
  step(0, 0, 1, false, 1);
  for (int i = 0; i < 2; ++i) {
    step(1, 1, 1, false, 10);    // f(1), twice
    step(2, 2, 1, false, 100);   //   f(0)
    step(2, 1, 0, false, 1000);  // f(1) goes on
  }
  return trace;
}

TEST(CallTree, MergesByPath) {
  const Trace trace = recursion();
  const std::vector<CallPath> tree = call_tree(trace, cost_account(trace), 9);
  ASSERT_EQ(tree.size(), 4U);
  const std::vector<std::int64_t> times{2221, 2221, 2220, 200}, calls{1, 1, 2, 2};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    EXPECT_EQ(tree[i].caller, static_cast<int>(i) - 1);
    EXPECT_EQ(tree[i].depth, static_cast<int>(i));
    EXPECT_EQ(tree[i].total.ns, times[i]) << i;
    EXPECT_EQ(tree[i].calls, calls[i]) << i;
  }
  EXPECT_EQ(tree[3].function, 1);
}

TEST(CallTree, IsNotDeeperThanAsked) {
  const Trace trace = recursion();
  const std::vector<CallPath> tree = call_tree(trace, cost_account(trace), 2);
  ASSERT_EQ(tree.size(), 3U);
  EXPECT_EQ(tree[2].total.ns, 2220);
  EXPECT_EQ(tree[2].calls, 2);
}

}  // namespace
}  // namespace lectern
