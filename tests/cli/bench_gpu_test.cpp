#include <algorithm>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/bench_gpu_runs.h"
#include "cli/bench_runs.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {

using Json = nlohmann::json;

/// A product at 3/4 of the limit and faster than PyTorch's, a copy, a crash, and what PyTorch lacks.
GpuBenchRuns some_runs() {
  GpuBenchRuns runs{.torch = "PyTorch 2.11 with CUDA 13.0"};
  runs.rows = {{.name = "product",
                .tensors = "[8] @ [8]",
                .bytes = 402653184,
                .flops = 1099511627776,
                .limit = 1.5e6,
                .is_limited_by_arithmetic = true,
                .known = "790 TFLOP/s",
                .ours = {.nanoseconds = 2e6},
                .torch = {.nanoseconds = 3e6}},
               {.name = "copy",
                .tensors = "[64M]",
                .bytes = 200'000'000,
                .limit = 46.5e3,
                .ours = {.nanoseconds = 50e3},
                .torch = {.error = "ended by signal 9 (Killed)"}},
               {.name = "crash", .ours = {.error = "ended by signal 11 (Segmentation fault)"}},
               {.name = "late", .ours = {.error = "not reached in 9 s"}},
               {.name = "later", .ours = {.error = "not reached in 9 s"}},
               {.name = "small", .tensors = "[8]", .bytes = 96, .ours = {.nanoseconds = 2500}}};
  return runs;
}

TEST(GpuBenchTable, ShowsWhatIsReachedAndWhatIsNot) {
  EXPECT_EQ(gpu_bench_table({.device = "A GPU", .date = "2026-01-31", .commit = "abc"}, some_runs()),
            R"(A GPU, 2026-01-31, commit abc
torch: PyTorch 2.11 with CUDA 13.0

case     tensors       ours  of limit         rate    torch  torch/ours  known
product  [8] @ [8]  2.00 ms      75 %  550 TFLOP/s  3.00 ms        1.50  790 TFLOP/s
copy     [64M]      50.0 µs      93 %    4000 GB/s        ✗
crash                     ✗
late                      ✗
later                     ✗
small    [8]        2.50 µs

of limit: the least time that an H200 needs for the bytes and operations of a call, through ours
known: what others have published of PyTorch on an H200, of attention on an H100
✗ ours, crash: ended by signal 11 (Segmentation fault)
✗ ours, late, later: not reached in 9 s
✗ torch, copy: ended by signal 9 (Killed)
3 of 6 cases measured, 1 of PyTorch
)");
  const GpuBenchRuns alone{.rows = {{.name = "copy", .ours = {.nanoseconds = 5}}},
                           .why_no_torch = "none here"};
  EXPECT_EQ(gpu_bench_table({.device = "A GPU", .date = "2026-01-31", .commit = "abc"}, alone),
            R"(A GPU, 2026-01-31, commit abc
PyTorch was not measured: none here

case     ours
copy  5.00 ns

1 of 1 cases measured
)");
}

TEST(GpuBenchRuns, AreCompleteWhenNothingWasAskedForAndNotMeasured) {
  GpuBenchRuns runs{.rows = {{.name = "a", .ours = {.nanoseconds = 5}}}};
  EXPECT_TRUE(runs.is_complete()) << "PyTorch was not asked for";
  runs.rows[0].torch.error = "it crashed";
  EXPECT_FALSE(runs.is_complete());
  runs.rows[0].torch = {.nanoseconds = 7};
  EXPECT_TRUE(runs.is_complete());
  runs.rows[0].ours = {.error = "it crashed"};
  EXPECT_FALSE(runs.is_complete());
}

TEST(GpuBenchJson, HasALineForEachResult) {
  const auto runs = some_runs();
  const Json product = Json::parse(our_json(runs.rows[0]));
  EXPECT_EQ(product, Json::parse(R"({"of":"ours","name":"product","tensors":"[8] @ [8]","ns":2e6,
    "bytes":402653184,"flops":1099511627776,"limit_ns":1.5e6,"limited_by":"arithmetic","limit_of":"H200","known":"790 TFLOP/s"})"));
  EXPECT_EQ(Json::parse(our_json(runs.rows[3])),
            (Json{{"of", "ours"}, {"name", "late"}, {"error", "not reached in 9 s"}}));
  const Json small = Json::parse(our_json(runs.rows[5]));
  EXPECT_TRUE(small["limit_ns"].is_null() && small["limited_by"] == "") << small;
  EXPECT_EQ(Json::parse(torch_json(runs.rows[0])), (Json{{"of", "torch"}, {"name", "product"}, {"ns", 3e6}}));
  EXPECT_EQ(Json::parse(torch_json(runs.rows[1]))["error"], "ended by signal 9 (Killed)");
  EXPECT_EQ(our_json(runs.rows[0]).find('\n'), std::string::npos);
}

TEST(GpuBenchJson, RefusesWhatIsNoMeasurementOfTheCase) {
  const std::string line = R"({"name":"add","tensors":"[8]","ns":5,"bytes":1,"flops":2,"limit_ns":0,)"
                           R"("limited_by":"","limit_of":"H200","known":""})";
  EXPECT_EQ(read_our_line("add", line).ours.nanoseconds, 5);
  EXPECT_THROW(read_our_line("sub", line), Error);
  for (const char* other : {"", "{", "{}", R"({"name":"add"})"})
    EXPECT_THROW(read_our_line("add", other), Error);
}

/// Programs that do what they are told for a case, written for the occasion.
class GpuBenchRun : public testing::Test {
 protected:
  Command program(const std::string& name, const std::string& script) const {
    const auto calls = folder / "calls";
    write_file(folder / name, "echo " + name + " $* >>'" + calls.string() + "'\n" + script);
    return {.arguments = {"bash", (folder / name).string()}};
  }
  /// Its cases, and what it does for $name that is not to measure it.
  Command ours(const std::string& names, const std::string& misdeeds = "") const {
    return program("ours", "if [ $1 = --list ]; then printf '%s\\n' " + names + R"(; exit; fi
name=$3
case $name in none) ;; )" + misdeeds +
                               R"( esac
echo '{"name":"'$name'","tensors":"[8]","ns":5,"bytes":1,"flops":2,"limit_ns":1,"limited_by":"memory","limit_of":"H200","known":""}')");
  }
  /// Measures each of its arguments, but for misdeeds.
  Command torch(const std::string& misdeeds = "") const {
    return program("torch", R"(echo '{"torch":"2.11","cuda":"13.0"}'
shift
for name; do
  case $name in none) ;; )" + misdeeds +
                                R"( esac
  echo '{"name":"'$name'","ns":10}'
done)");
  }
  GpuBenchRuns run(const GpuBenchPlan& plan) {
    return run_gpu_benchmarks(plan,
                              {.on_result = [&](const std::string& json) { results.push_back(json); },
                               .on_progress = [&](const std::string& what) { progress.push_back(what); }});
  }
  std::string calls() const { return read_file(folder / "calls"); }

  test::TemporaryFolder folder;
  std::vector<std::string> results, progress;
};

/// "name: what became of it" of each.
std::vector<std::string> outcomes(const GpuBenchRuns& runs, const GpuTime GpuRow::*time) {
  std::vector<std::string> all;
  for (const GpuRow& row : runs.rows) {
    const GpuTime& one = row.*time;
    all.push_back(row.name + ": " + (one.nanoseconds ? fmt::format("{}", *one.nanoseconds) : one.error));
  }
  return all;
}

using Outcomes = std::vector<std::string>;

TEST_F(GpuBenchRun, GivesEachCaseAProcessAndPyTorchOne) {
  const GpuBenchRuns runs = run({.ours = ours("add copy other"), .torch = torch(), .filter = "o"});
  EXPECT_EQ(calls(),
            "ours --list cuda\nours cuda --case copy\nours cuda --case other\ntorch cuda copy other\n");
  EXPECT_EQ(outcomes(runs, &GpuRow::ours), (Outcomes{"copy: 5", "other: 5"}));
  EXPECT_EQ(outcomes(runs, &GpuRow::torch), (Outcomes{"copy: 10", "other: 10"}));
  EXPECT_EQ(runs.torch, "PyTorch 2.11 with CUDA 13.0");
  EXPECT_EQ(results, (Outcomes{our_json(runs.rows[0]), our_json(runs.rows[1]),
                               R"({"of":"torch","torch":"2.11","cuda":"13.0"})", torch_json(runs.rows[0]),
                               torch_json(runs.rows[1])}));
  EXPECT_EQ(progress[1], "2 of 2: other");
  EXPECT_TRUE(runs.is_complete());
}

TEST_F(GpuBenchRun, ACaseThatFailsCostsOnlyItself) {
  const auto begin = std::chrono::steady_clock::now();
  const GpuBenchRuns runs = run({.ours = ours("hangs crashes throws a lies silent b",
                                              R"(
hangs) sleep 60 ;;
crashes) echo 'about to'; kill -SEGV $$ ;;
throws) echo 'out of memory' >&2; exit 1 ;;
lies) name=other ;;
silent) exit 0 ;;)"),
                                 .case_limit = std::chrono::seconds(1)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(40));
  const Outcomes all = outcomes(runs, &GpuRow::ours);
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[0], "hangs: not done after 1 s");
  EXPECT_EQ(all[1], "crashes: ended by signal 11 (Segmentation fault): about to");
  EXPECT_EQ(all[2], "throws: exit status 1: out of memory");
  EXPECT_EQ(all[3], "a: 5");
  EXPECT_NE(all[4].find("is no measurement of lies"), std::string::npos) << all[4];
  EXPECT_NE(all[5].find("is no measurement of silent"), std::string::npos) << all[5];
  EXPECT_EQ(all[6], "b: 5");
  EXPECT_FALSE(runs.is_complete());
  ASSERT_EQ(results.size(), 7U);
  EXPECT_EQ(Json::parse(results[0]),
            (Json{{"of", "ours"}, {"name", "hangs"}, {"error", "not done after 1 s"}}));
}

TEST_F(GpuBenchRun, GoesOnAfterTheCaseThatKilledPyTorch) {
  const GpuBenchRuns runs = run({.ours = ours("a dies b asks c fails d"), .torch = torch(R"(
dies) kill -ABRT $$ ;;
asks) echo '{"name":"asks","error":"an illegal memory access"}'; exit 75 ;;
fails) echo '{"name":"fails","error":"out of memory"}'; continue ;;)")});
  EXPECT_EQ(outcomes(runs, &GpuRow::torch),
            (Outcomes{"a: 10", "dies: ended by signal 6 (Aborted)", "b: 10", "asks: an illegal memory access",
                      "c: 10", "fails: out of memory", "d: 10"}));
  EXPECT_NE(
      calls().find("torch cuda a dies b asks c fails d\ntorch cuda b asks c fails d\ntorch cuda c fails d\n"),
      std::string::npos)
      << calls();
  EXPECT_EQ(results.size(), 7U + 1 + 7) << "PyTorch's version comes once";
  EXPECT_FALSE(runs.is_complete());
}

TEST_F(GpuBenchRun, PyTorchThatGoesInCirclesIsStopped) {
  const GpuBenchRuns runs = run(
      {.ours = ours("a b c"), .torch = program("torch", "echo '{\"torch\":\"2\",\"cuda\":\"1\"}'; exit 75")});
  EXPECT_EQ(outcomes(runs, &GpuRow::torch),
            (Outcomes{"a: exit status 75", "b: exit status 75", "c: exit status 75"}));
  const GpuBenchRuns lazy = run({.ours = ours("a b"), .torch = torch("a) continue ;;")});
  EXPECT_EQ(outcomes(lazy, &GpuRow::torch), (Outcomes{"a: torch_bench.py left it out", "b: 10"}));
}

TEST_F(GpuBenchRun, EndsWithinTheLimitAndSaysWhatWasNotReached) {
  const auto begin = std::chrono::steady_clock::now();
  const GpuBenchRuns runs = run({.ours = ours("a slow b c", "slow) sleep 60 ;;"),
                                 .torch = torch(),
                                 .limit = std::chrono::milliseconds(4500)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(outcomes(runs, &GpuRow::ours),
            (Outcomes{"a: 5", "slow: not done when the limit of 3 s was reached", "b: not reached in 3 s",
                      "c: not reached in 3 s"}))
      << "two thirds are ours";
  EXPECT_EQ(outcomes(runs, &GpuRow::torch), (Outcomes{"a: 10", "slow: 10", "b: 10", "c: 10"}));
  EXPECT_EQ(results.size(), 9U);
  EXPECT_EQ(Json::parse(results[3])["error"], "not reached in 3 s");
  EXPECT_FALSE(runs.is_complete());

  const GpuBenchRuns others =
      run({.ours = ours("a b c"), .torch = torch("b) sleep 60 ;;"), .limit = std::chrono::seconds(3)});
  EXPECT_EQ(outcomes(others, &GpuRow::torch),
            (Outcomes{"a: 10", "b: not done when the limit of 3 s was reached", "c: not reached in 3 s"}));
  EXPECT_EQ(Json::parse(results.back())["error"], "not reached in 3 s");
}

TEST_F(GpuBenchRun, WithoutPyTorchOnlyOursIsMeasured) {
  for (const Command& none : {program("torch", "echo 'no PyTorch: none here'; exit 77"),
                              Command{.arguments = {(folder / "no such program").string()}}}) {
    results.clear();
    const GpuBenchRuns runs = run({.ours = ours("a"), .torch = none});
    EXPECT_EQ(outcomes(runs, &GpuRow::ours), Outcomes{"a: 5"});
    EXPECT_NE(runs.why_no_torch, "");
    EXPECT_TRUE(runs.is_complete());
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(Json::parse(results[1]), (Json{{"of", "torch"}, {"error", runs.why_no_torch}}));
  }
  const GpuBenchRuns broken = run({.ours = ours("a b"), .torch = program("torch", "echo broken; exit 3")});
  EXPECT_EQ(outcomes(broken, &GpuRow::torch),
            (Outcomes{"a: exit status 3: broken", "b: exit status 3: broken"}));
  EXPECT_FALSE(broken.is_complete()) << "it is there, and does not work";
}

TEST_F(GpuBenchRun, SaysAtOnceThatNothingCanBeMeasured) {
  EXPECT_THROW(run({.ours = ours("a b"), .filter = "c"}), NoSuchCase);
  EXPECT_THROW(run({.ours = program("ours", "echo broken; exit 1")}), Error);
  try {
    run({.ours = ours("a b", "a) echo 'there is no GPU here' >&2; exit 3 ;;")});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no GPU here");
  }
  const GpuBenchRuns runs = run({.ours = ours("a b c", "b) echo 'there is no GPU here' >&2; exit 3 ;;")});
  EXPECT_EQ(outcomes(runs, &GpuRow::ours),
            (Outcomes{"a: 5", "b: exit status 3: there is no GPU here", "c: 5"}))
      << "there was one before";
}

}  // namespace
}  // namespace lectern::cli
