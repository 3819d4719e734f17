#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "has.h"
#include "site/costs.h"
#include "site/inert_html.h"

namespace lectern {
namespace {

using test::has;

/// A line that memory bounds, 1 FLOP per byte at half of the roof, and one that compute bounds, 100 FLOPs per
/// byte at a fifth of it; a line that only moves.
Trace computing_trace(const std::string& path = "a.cpp") {
  Trace trace;
  trace.profile = Profile{.name = "cpu"};
  trace.profile->ceilings = {{"cpu", {{{"float32", 1e11}, {"float64", 5e10}}, 1e10, true}}};
  trace.sources.push_back(
      {path, "cpp", {"int main() {", "  z = x + y;", "  z = x.matmul(y);", "  y = x.clone();", "}"}});
  trace.functions.push_back({"main", 0, {1, 1, 5, 2}, ""});
  trace.stacks.push_back({.function = 0, .depth = 1});
  const auto add = [&](int line, std::int64_t ns, std::uint64_t flops, std::uint64_t bytes) {
    StepDetails details;
    details.flops = flops;
    details.bytes = bytes;
    details.memory = {{"cpu", {400, 1'600}}};
    trace.steps.push_back(Step{.site = static_cast<int>(trace.sites.size()), .ns = ns});
    trace.steps.back().set_details(details);
    trace.sites.push_back({0, {line, 3, line, 10}});
  };
  add(2, 1'000'000, 5'000'000, 5'000'000);
  add(3, 3'000'000, 60'000'000, 600'000);
  add(4, 1'000'000, 0, 5'000'000);
  trace.steps[0].enter = 1;
  return trace;
}

std::string costs_html(const Trace& trace) {
  return cost_section(trace, cost_account(trace));
}

TEST(Roofline, HasADotForEachLineThatComputes) {
  const std::string html = costs_html(computing_trace());
  EXPECT_TRUE(has(html,
                  "<svg role=\"group\" aria-label=\"Roofline of cpu: 2 lines of the lecture under a memory "
                  "bandwidth of 10 GB/s and a peak of 100 GFLOP/s\">"))
      << html;
  EXPECT_TRUE(has(html,
                  "<a href=\"#s0-2\" class=\"dot by-memory\" aria-label=\"a.cpp:2: z = x + y;, 5 GFLOP/s, 1 "
                  "FLOP/byte, 50% of its roof, 1 ms\"><title>a.cpp:2: "))
      << html;
  EXPECT_TRUE(
      has(html,
          "<a href=\"#s0-3\" class=\"dot by-compute\" aria-label=\"a.cpp:3: z = x.matmul(y);, 20 GFLOP/s, "
          "100 FLOP/byte, 20% of its roof, 3 ms\">"))
      << html;
  EXPECT_FALSE(has(html, "a.cpp:4: ")) << "it computes nothing";
  EXPECT_TRUE(
      has(html,
          "Of 65 MFLOP, 8% are of lines to the left of the ridge at 10 FLOP per byte, which memory bounds, "
          "and 92% of lines to its right, which compute bounds."))
      << html;
  EXPECT_TRUE(has(html, "the bandwidth was measured as the run began."));
  EXPECT_TRUE(has(html, ">memory, 10 GB/s</text>"));
  EXPECT_TRUE(has(html, ">float32, 100 GFLOP/s</text>"));
  EXPECT_FALSE(has(html, "bfloat16"));
  EXPECT_FALSE(has(html, "Steps are recorded without"));
  EXPECT_EQ(test::active_parts(html), std::vector<std::string>());
}

TEST(Roofline, PlacesDotsByDecades) {
  // From 0.1 to 1000 FLOPs per byte, and from 1 GFLOP/s: a dot of one FLOP per byte is at a quarter.
  const std::string html = costs_html(computing_trace());
  EXPECT_TRUE(has(html, "<circle cx=\"25.00%\"")) << html;
  EXPECT_TRUE(has(html, "<circle cx=\"75.00%\"")) << html;
}

TEST(Roofline, OfAGpuIsThatOfItsDataSheet) {
  Trace trace = computing_trace();
  trace.profile->ceilings.push_back(
      {"cuda:0", {{{"float32", 6.7e13}, {"bfloat16", 9.9e14}}, 3.35e12, false}});
  StepDetails details = trace.steps[0].details();
  details.memory.push_back({"cuda:0", {1, 2}});
  trace.steps[0].set_details(details);
  const std::string html = costs_html(trace);
  EXPECT_TRUE(has(html, "aria-label=\"Roofline of cuda:0: ")) << html;
  EXPECT_TRUE(has(html, ">bfloat16, 990 TFLOP/s</text>"));
  EXPECT_TRUE(has(html, "The peak is the data sheet&#39;s; so is the bandwidth.") ||
              has(html, "The peak is the data sheet's; so is the bandwidth."))
      << html;
  EXPECT_TRUE(has(html, "all of them stand under the roof of cuda:0."));
}

TEST(Roofline, DoesNotLinkToHiddenLines) {
  Trace trace = computing_trace();
  trace.sites[0].hide = true;
  const std::string html = costs_html(trace);
  EXPECT_TRUE(has(html, "<g class=\"dot by-memory\" role=\"img\" aria-label=\"a.cpp:2: ")) << html;
  EXPECT_TRUE(has(html, "<a href=\"#s0-3\" class=\"dot"));
}

TEST(Roofline, ShowsTheLinesThatTookLongest) {
  Trace trace = computing_trace();
  for (int i = 0; i < 80; ++i) {
    trace.sources[0].lines.emplace_back("  x += 1;");
    trace.sites.push_back({0, {5 + i, 3, 5 + i, 9}});
    trace.steps.push_back(trace.steps[0]);
    trace.steps.back().site = 3 + i;
    trace.steps.back().enter = 0;
    trace.steps.back().ns = 1'000 + i;
  }
  const std::string html = costs_html(trace);
  EXPECT_TRUE(has(html, "The 60 of 82 lines that took longest are drawn.")) << html;
  EXPECT_TRUE(has(html, "aria-label=\"a.cpp:84: "));
  EXPECT_FALSE(has(html, "aria-label=\"a.cpp:5: "));
}

TEST(Roofline, IsNotDrawnWithoutCeilingsOrTimes) {
  Trace trace = computing_trace();
  EXPECT_TRUE(has(costs_html(trace), "class=\"roofline\""));
  for (Step& step : trace.steps) step.ns = 0;
  EXPECT_FALSE(has(costs_html(trace), "roofline"));
  trace = computing_trace();
  trace.profile->ceilings[0].first = "cpu2";
  EXPECT_FALSE(has(costs_html(trace), "roofline"));
  trace.profile->ceilings.clear();
  EXPECT_FALSE(has(costs_html(trace), "roofline"));
  trace.profile.reset();
  EXPECT_FALSE(has(costs_html(trace), "roofline"));
}

TEST(Roofline, SurvivesAnyNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double odd : {0.0, -1.0, 1e-300, 1e308, kInfinity, -kInfinity, std::nan("")}) {
    Trace trace = computing_trace();
    trace.profile->ceilings[0].second.bytes = odd;
    EXPECT_FALSE(has(costs_html(trace), "roofline")) << odd;
    trace = computing_trace();
    trace.profile->ceilings[0].second.flops[0].second = odd;
    EXPECT_FALSE(has(costs_html(trace), "roofline")) << odd;
    trace = computing_trace();
    trace.profile->ceilings[0].second.flops.emplace_back("bfloat16", odd);
    EXPECT_FALSE(has(costs_html(trace), "bfloat16")) << odd;
  }
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [flops, bytes] :
       {std::pair{kMost, std::uint64_t{1}}, std::pair{std::uint64_t{1}, kMost}}) {
    for (const std::int64_t ns :
         {std::int64_t{1}, std::numeric_limits<std::int64_t>::max() / 8, std::int64_t{-5}}) {
      Trace trace = computing_trace();
      StepDetails details = trace.steps[0].details();
      details.flops = flops;
      details.bytes = bytes;
      trace.steps[0].set_details(details);
      trace.steps[0].ns = ns;
      const std::string html = costs_html(trace);
      EXPECT_EQ(test::active_parts(html), std::vector<std::string>());
      for (const char* const none : {"nan", "inf"}) EXPECT_FALSE(has(html, none)) << none << html;
    }
  }
}

TEST(Roofline, StaysInertWhateverItsNames) {
  const std::string evil = "cuda\"><img src=x onerror=alert(1)></svg><!--";
  Trace trace = computing_trace(evil);
  trace.sources[0].lines[1] = evil;
  trace.profile->ceilings.push_back({evil, {{{"float32", 1e12}}, 1e11, false}});
  StepDetails details = trace.steps[0].details();
  details.memory.push_back({evil, {1, 2}});
  trace.steps[0].set_details(details);
  const std::string html = costs_html(trace);
  EXPECT_TRUE(has(html, "roofline"));
  EXPECT_EQ(test::active_parts(html), std::vector<std::string>());
  EXPECT_FALSE(has(html, "<img")) << html;
}

}  // namespace
}  // namespace lectern
