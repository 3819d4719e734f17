#include "site/costs.h"

#include <gtest/gtest.h>

#include "has.h"
#include "site/inert_html.h"

namespace lectern {
namespace {

using test::has;

/// main (function 1) calls work (function 0) in each of two passes of a line; a line before is hidden.
Trace example(const std::string& name = "work", const std::string& device = "cpu") {
  Trace trace;
  trace.sources.push_back(
      {"a.cpp", "cpp", {"void work() { multiply(); }", "", "int main() {", "  work();", "}"}});
  trace.functions.push_back({name, 0, {1, 1, 1, 27}, ""});
  trace.functions.push_back({"main", 0, {3, 1, 5, 2}, ""});
  trace.sites.push_back({1, {4, 3, 4, 10}});
  trace.sites.push_back({0, {1, 15, 1, 26}});
  trace.stacks.push_back({.function = 1, .depth = 1});
  trace.stacks.push_back({.function = 0, .parent = 0, .call = 0, .depth = 2});
  const auto step = [&](int site, int stack, int enter, bool after, std::int64_t ns,
                        const StepDetails& details = {}) {
    trace.steps.push_back(Step{.site = site, .stack = stack, .enter = enter, .after = after, .ns = ns});
    trace.steps.back().set_details(details);
  };
  StepDetails multiply;
  multiply.flops = 3'000'000;
  multiply.bytes = 2'000;
  multiply.memory = {{device, {400, 1'600}}};
  step(0, 0, 1, false, 500);
  step(1, 1, 1, false, 1'500'000, multiply);
  step(0, 0, 0, true, 500);
  step(0, 0, 0, false, 500);
  step(1, 1, 1, false, 497'500, multiply);
  step(0, 0, 0, true, 1'000);
  return trace;
}

std::string section_of(const Trace& trace) {
  return cost_section(trace, cost_account(trace));
}
TEST(Costs, AreToldInTables) {
  const std::string html = section_of(example());
  EXPECT_TRUE(has(html, "data-columns=\"3\"><summary>What it cost: 2 ms, 6 MFLOP, 4 kB moved</summary>"))
      << html;
  EXPECT_TRUE(has(html,
                  "<tr><th scope=\"row\"><a href=\"#s0-3\">main</a> <span>3</span></th><td>2 ms</td><td>2.5 "
                  "\u00B5s</td><td>6 M</td><td>3 G</td><td>4 kB</td><td>1.6 kB</td><td>1</td></tr>"))
      << html;
  EXPECT_TRUE(has(html,
                  "<a href=\"#s0-4\">4</a> <code>work();</code></th><td>2 ms</td><td>2.5 "
                  "\u00B5s</td><td>6 M</td><td>3 G</td><td>4 kB</td><td>1.6 kB</td><td>2</td></tr>"))
      << html;
}

TEST(Costs, DrawWhatMemoryServes) {
  Trace trace = example();
  EXPECT_FALSE(has(section_of(trace), "data-kind=\"categories\"")) << "nothing is known of it";
  StepDetails details = trace.steps[1].details();
  details.categories = {{"cpu", {100, 0, 0, 200}}};
  trace.steps[1].set_details(details);
  const std::string html = section_of(trace);
  EXPECT_TRUE(has(html,
                  "aria-label=\"What memory on cpu serves, at most: parameters 100 B, gradients 0 B, "
                  "optimizer states 0 B, "
                  "activations 200 B, temporary 100 B\""))
      << html;
  // Of six steps the first has nothing; from the second on a quarter are parameters, and three quarters with
  // activations.
  EXPECT_TRUE(has(html, "<path class=\"band m1\" d=\"M0 100V100H1V75H2V75H3")) << html;
  EXPECT_TRUE(has(html, "<path class=\"band m4\" d=\"M0 100V100H1V25H2")) << html;
  EXPECT_TRUE(has(html, "<path class=\"band m5\" d=\"M0 100V100H1V0H2")) << html;
  EXPECT_TRUE(has(html, "<span class=\"key m4\">activations 200 B</span>"));
  EXPECT_TRUE(test::active_parts(html).empty()) << test::active_parts(html)[0];
}

TEST(Costs, HaveColumnsForWhatWasMeasured) {
  Trace trace = example();
  for (Step& step : trace.steps) step.ns = 0;
  const std::string untimed = section_of(trace);
  EXPECT_TRUE(has(untimed, ">What it cost: 6 MFLOP, 4 kB moved<"));
  EXPECT_TRUE(has(untimed, ">FLOPs</th>"));
  for (const char* none : {">Time</th>", ">Self</th>", ">FLOP/s</th>", "data-kind=\"time\"", "flame-by\""})
    EXPECT_FALSE(has(untimed, none)) << none;
  Trace timed = example();
  for (Step& step : timed.steps) step.set_details({});
  const std::string only_time = section_of(timed);
  EXPECT_TRUE(has(only_time, ">Time</th>"));
  for (const char* none : {">FLOPs</th>", ">Moved</th>", ">Peak, ", "data-kind=\"memory\"", "flame-by\""})
    EXPECT_FALSE(has(only_time, none)) << none;
}

TEST(Costs, AreDrawnAsCurves) {
  const std::string html = section_of(example());
  // The square root of a third of the time of the second step.
  EXPECT_TRUE(has(
      html,
      "<svg viewBox=\"0 0 6 100\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Time of each "
      "step: at most 1.5 ms, at step 2\"><path class=\"spent\" d=\"M0 98H1V0H2V98H4V42H5V97H6V100H0z\"/>"))
      << html;
  EXPECT_TRUE(has(html,
                  "aria-label=\"Memory on cpu: at most 1.6 kB, at step 2; 400 B at the end\"><path "
                  "class=\"peak d1\" d=\"M0 100H1V0H2V50H4V0H5V50H6V100H0z\"/><path class=\"held d1\" d=\"M0 "
                  "100H1V50H6\"/>"))
      << html;
}

TEST(Costs, OfALongRunAreDrawnInParts) {
  Trace trace = example();
  const std::vector<Step> once = trace.steps;
  const std::size_t short_length = section_of(trace).size();
  for (int i = 0; i < 2'000; ++i) trace.steps.insert(trace.steps.end(), once.begin(), once.end());
  const std::string html = section_of(trace);
  EXPECT_TRUE(has(html, "viewBox=\"0 0 400 100\""));
  EXPECT_LT(html.size(), short_length + 20'000);
}

TEST(Costs, AreAFlameGraph) {
  const std::string html = section_of(example());
  EXPECT_TRUE(
      has(html,
          "<ol><li style=\"--t:100.00;--f:100.00\"><a href=\"#s0-3\" class=\"frame\" title=\"main: 2 ms, 6 "
          "MFLOP, 4 kB moved, 1 call\">"))
      << html;
  EXPECT_TRUE(
      has(html,
          "</a><ol><li style=\"--t:99.88;--f:100.00\"><a href=\"#s0-1\" class=\"frame\" title=\"work: 2 ms, "
          "6 MFLOP, 4 kB moved, 2 calls\"><b>work</b>"))
      << html;
}

TEST(Costs, DoNotLinkToHiddenLines) {
  Trace trace = example();
  trace.sites[1].hide = true;
  const std::string html = section_of(trace);
  EXPECT_FALSE(has(html, "href=\"#s0-1\"")) << html;
  EXPECT_TRUE(has(html, "<span>work</span>")) << html;
}

TEST(Costs, AreNowhereWithoutAny) {
  Trace trace = example();
  for (Step& step : trace.steps) step = Step{.site = step.site, .stack = step.stack, .enter = step.enter};
  EXPECT_EQ(section_of(trace), "");
  EXPECT_EQ(cost_data(trace, cost_account(trace)), "");
}

TEST(Costs, OfDeepRecursionStayFew) {
  Trace trace = example();
  trace.steps.clear();
  for (int depth = 0; depth < 5'000; ++depth) {
    const int parent = static_cast<int>(trace.stacks.size()) - 1;
    trace.stacks.push_back({.function = 0, .parent = parent, .call = 1, .depth = parent + 2});
    trace.steps.push_back(Step{.site = 1, .stack = parent + 1, .enter = 1, .ns = 10});
  }
  const std::string html = section_of(trace);
  EXPECT_LT(html.size(), 20'000U);
}

TEST(Costs, StayInertWhateverTheirNames) {
  const std::string evil = "\"><img src=x onerror=alert(1)></script><!--";
  Trace trace = example(evil, evil);
  trace.sources[0].lines[3] = evil;
  const std::string html = section_of(trace);
  EXPECT_EQ(test::active_parts(html), std::vector<std::string>());
  EXPECT_FALSE(has(html, "<img")) << html;
  const std::string data = cost_data(trace, cost_account(trace));
  EXPECT_TRUE(data.starts_with("lecternCosts({")) << data;
  EXPECT_FALSE(has(data, "<")) << data;
}

TEST(Costs, AreDataForTheScript) {
  const Trace trace = example();
  EXPECT_EQ(
      cost_data(trace, cost_account(trace)),
      "lecternCosts({\"bytes\":{\"1\":2000,\"4\":2000},\"devices\":[\"cpu\"],\"flops\":{\"1\":3000000,\"4\":"
      "3000000},"
      "\"lines\":[[0,1,2,1997500,1997500,6000000,4000,[1600],0],[0,4,2,2000000,2500,6000000,4000,[1600],0]],"
      "\"memory\":[[1,0,400,1600],[4,0,400,1600]],\"ns\":[500,1500000,500,500,497500,1000]});\n");
}

}  // namespace
}  // namespace lectern
