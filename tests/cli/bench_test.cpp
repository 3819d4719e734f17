#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "cli/bench_runs.h"
#include "cli/preset.h"
#include "temporary_folder.h"

namespace lectern::cli {
namespace {

std::string ours(const std::string& name, int threads, double ns, double bar = 0) {
  return nlohmann::json{{"name", name},         {"tensors", "[16M]"}, {"threads", threads}, {"ns", ns},
                        {"bytes", 200'000'000}, {"flops", 1'000'000}, {"bar_ns", bar}}
      .dump();
}

std::string torch(const std::string& name, int threads, double ns) {
  return nlohmann::json{{"name", name}, {"threads", threads}, {"ns", ns}}.dump();
}

/// A copy faster than PyTorch's, a sum slower on two threads, a product, and a small addition within its
/// time.
std::vector<BenchRow> some_rows() {
  std::vector<BenchRow> rows;
  for (const double ns : {4e6, 2e6, 9e6}) add_ours(rows, ours("copy", 1, ns));
  add_ours(rows, ours("sum", 2, 1.5e6));
  add_ours(rows, R"({"name":"product","tensors":"[8, 8] @ [8, 8]","threads":1,"ns":2e9,"bytes":1000000,)"
                 R"("flops":200000000000,"bar_ns":0})");
  add_ours(rows, ours("small_add", 1, 80, 200));
  for (const double ns : {5e6, 6e6, 7e6}) add_torch(rows, torch("copy", 1, ns));
  add_torch(rows, torch("sum", 2, 0.6e6));
  add_torch(rows, torch("product", 1, 1.92e9));
  add_torch(rows, torch("small_add", 1, 1050));
  return rows;
}

TEST(BenchRows, MediansOfTheRoundsAreCompared) {
  const auto rows = some_rows();
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].our_time(), 4e6);
  EXPECT_EQ(rows[0].torch_time(), 6e6);
  EXPECT_EQ(rows[0].ratio(), 1.5);
  BenchRow even;
  even.ours = {30, 10, 20, 40};
  EXPECT_EQ(even.our_time(), 25);
}

TEST(BenchRows, AreHeldAgainstTheirOwnBarOrPyTorch) {
  BenchRow row{.name = "x", .ours = {100}};
  EXPECT_EQ(row.held(), std::nullopt) << "nothing to hold it against";
  row.torch = {96};
  EXPECT_EQ(row.held(), true) << "as fast, noise aside";
  row.torch = {94};
  EXPECT_EQ(row.held(), false);
  row.bar = 100;
  EXPECT_EQ(row.held(), true) << "its own bar alone counts";
  row.bar = 99;
  row.torch = {500};
  EXPECT_EQ(row.held(), false);
}

TEST(BenchRows, AreHeldAgainstTheLimitThatMemorySets) {
  BenchRow row{.name = "x", .copy_bar = 1.5, .copies = {90, 100, 110}, .ours = {150}};
  EXPECT_EQ(row.over_copy(), 1.5);
  EXPECT_EQ(row.held(), true);
  row.torch = {130};
  EXPECT_EQ(row.held(), false) << "PyTorch counts as well";
  row.torch = {200};
  EXPECT_EQ(row.held(), true);
  row.ours = {151};
  EXPECT_EQ(row.held(), false);
}

TEST(BenchRows, AreHeldAgainstArithmeticWhereThatTakesLonger) {
  BenchRow row{.name = "x", .copy_bar = 1.5, .copies = {100}, .arithmetic = {90}, .ours = {160}};
  EXPECT_EQ(row.held(), false);
  row.arithmetic = {128};
  EXPECT_EQ(row.over_copy(), 1.25);
  EXPECT_EQ(row.held(), true);
}

TEST(BenchRows, SomeAreToBeFaster) {
  BenchRow row{.name = "x", .faster = 1.2, .ours = {100}, .torch = {120}};
  EXPECT_EQ(row.held(), true);
  row.torch = {119};
  EXPECT_EQ(row.held(), false) << "no room for noise";
}

TEST(BenchRows, RefuseWhatIsNoMeasurement) {
  std::vector<BenchRow> rows;
  for (const char* line : {"{", "{}", R"({"name":"add","threads":"one","ns":1})"}) {
    EXPECT_THROW(add_ours(rows, line), Error) << line;
    EXPECT_THROW(add_torch(rows, line), Error) << line;
  }
  EXPECT_TRUE(rows.empty());
  add_ours(rows, ours("add", 1, 5));
  EXPECT_THROW(add_torch(rows, torch("sub", 1, 5)), Error) << "a case that only PyTorch has";
  EXPECT_THROW(add_torch(rows, torch("add", 2, 5)), Error);
}

TEST(BenchTable, ShowsBothSidesAndTheBars) {
  const BenchContext context{.device = "A processor, 2 logical",
                             .date = "2026-01-31",
                             .commit = "abc1234",
                             .torch = "PyTorch 1.13 with openblas-openmp/libopenblas.so",
                             .rounds = 3};
  EXPECT_EQ(bench_table(context, some_rows()),
            R"(A processor, 2 logical, 2026-01-31, commit abc1234
torch: PyTorch 1.13 with openblas-openmp/libopenblas.so
Medians of 3 rounds.

case       tensors          threads     ours    torch   torch/ours         rate  bar
copy       [16M]                  1  4.00 ms  6.00 ms         1.50    50.0 GB/s  ✓ as fast
sum        [16M]                  2  1.50 ms   600 µs         0.40     133 GB/s  ✗ slower
product    [8, 8] @ [8, 8]        1   2.00 s   1.92 s         0.96  100 GFLOP/s  ✓ as fast
small_add  [16M]                  1  80.0 ns  1.05 µs*       13.12               ✓ ≤ 200 ns

* called from Python, which is part of the time
as fast: torch/ours is at least 0.95
3 of 4 bars held; missed: sum (2 threads)
)");
}

TEST(BenchTable, ShowsHowFarMemoryIs) {
  std::vector<BenchRow> rows;
  add_ours(rows, R"({"name":"softmax","tensors":"[16M]","threads":1,"ns":6e6,"bytes":120000000,"flops":1,)"
                 R"("bar_ns":0,"copy_ns":5e6,"copy_bar":1.3})");
  add_ours(rows, R"({"name":"step","tensors":"[8]","threads":1,"ns":5e6,"bytes":0,"flops":0,)"
                 R"("bar_ns":0,"faster":1.2})");
  add_torch(rows, torch("softmax", 1, 5e6));
  add_torch(rows, torch("step", 1, 7e6));
  EXPECT_EQ(bench_table({.device = "A processor", .date = "2026-01-31", .commit = "abc", .torch = "1"}, rows),
            R"(A processor, 2026-01-31, commit abc
torch: 1
Medians of 1 round.

case     tensors  threads     ours    torch   torch/ours       rate  bar
softmax  [16M]          1  6.00 ms  5.00 ms         0.83  20.0 GB/s  ✗ 1.20 × copy (≤ 1.3), slower
step     [8]            1  5.00 ms  7.00 ms         1.40             ✓ ≥ 1.2 times as fast

× copy: of as many bytes, in the same run
as fast: torch/ours is at least 0.95
1 of 2 bars held; missed: softmax (1 thread)
)");
}

TEST(BenchTable, SaysWhyABarIsMissed) {
  std::vector<BenchRow> rows;
  for (const int threads : {1, 2}) {
    add_ours(rows,
             fmt::format(R"({{"name":"norm","tensors":"[16M]","threads":{},"ns":{},"bytes":1,"flops":1,)"
                         R"("bar_ns":0,"copy_ns":2e6,"copy_bar":1.5,"obstacle":"it waits for memory"}})",
                         threads, 4e6 / threads));
  }
  const std::string table =
      bench_table({.device = "A processor", .date = "2026-01-31", .commit = "abc", .torch = ""}, rows);
  EXPECT_NE(table.find("\nnorm (1 thread): it waits for memory\n1 of 2 bars held"), std::string::npos)
      << table;
}

TEST(BenchTable, SaysWhereArithmeticIsTheLimit) {
  std::vector<BenchRow> rows;
  add_ours(rows, R"({"name":"gelu","tensors":"[16M]","threads":1,"ns":6e6,"bytes":120000000,"flops":1,)"
                 R"("bar_ns":0,"copy_ns":3e6,"arithmetic_ns":5e6,"copy_bar":1.5})");
  const std::string table =
      bench_table({.device = "A processor", .date = "2026-01-31", .commit = "abc", .torch = ""}, rows);
  EXPECT_NE(table.find("✓ 1.20 × arithmetic (≤ 1.5)"), std::string::npos) << table;
  EXPECT_NE(table.find("× arithmetic: the formula's multiply-adds"), std::string::npos) << table;
}

TEST(BenchTable, LeavesOutWhatWasNotMeasured) {
  std::vector<BenchRow> rows;
  add_ours(rows, ours("copy", 1, 999.6e3));
  add_ours(rows, ours("sum", 1, 9.996e3));
  add_ours(rows, ours("small_add", 1, 250, 200));
  EXPECT_EQ(bench_table({.device = "A processor", .date = "2026-01-31", .commit = "abc", .torch = ""}, rows),
            R"(A processor, 2026-01-31, commit abc
Medians of 1 round.

case       tensors  threads     ours        rate  bar
copy       [16M]          1  1.00 ms    200 GB/s
sum        [16M]          1  10.0 µs  20008 GB/s
small_add  [16M]          1   250 ns              ✗ > 200 ns

0 of 1 bars held; missed: small_add (1 thread)
)");
}

TEST(BenchJson, HoldsEveryRound) {
  const auto json = nlohmann::json::parse(bench_json(
      {.device = "d", .date = "2026-01-31", .commit = "c", .torch = "t", .rounds = 3}, some_rows()));
  EXPECT_EQ(json["format"], "lectern-bench/1");
  EXPECT_EQ(json["commit"], "c");
  EXPECT_EQ(json["rows"][0]["ours_rounds_ns"], nlohmann::json({4e6, 2e6, 9e6}));
  EXPECT_EQ(json["rows"][0]["torch_ns"], 6e6);
  EXPECT_EQ(json["rows"][0]["held"], true);
  EXPECT_EQ(json["rows"][1]["held"], false);
  EXPECT_EQ(json["rows"][3]["bar_ns"], 200);

  std::vector<BenchRow> alone;
  add_ours(alone, ours("copy", 1, 5));
  const auto row = nlohmann::json::parse(bench_json({}, alone))["rows"][0];
  EXPECT_TRUE(row["torch_ns"].is_null() && row["ratio"].is_null() && row["held"].is_null()) << row;
}

/// Programs that print what they are asked, written for the occasion.
class BenchRun : public testing::Test {
 protected:
  Command program(const std::string& name, const std::string& script) const {
    write_file(folder / name, "echo " + name + " $* >>'" + (folder / "calls").string() + "'\n" + script);
    return {.arguments = {"sh", (folder / name).string()}};
  }
  Command our_program(const std::string& more = "") const {
    return program("ours", R"(echo '{"name":"add","tensors":"[8]","threads":'$1',"ns":5,"bytes":1,"flops":1,)"
                           R"("bar_ns":0}')"
                           "\n" +
                               more);
  }
  std::string calls() const { return read_file(folder / "calls"); }

  test::TemporaryFolder folder;
};

TEST_F(BenchRun, TakesTurns) {
  const BenchPlan plan{.ours = our_program(),
                       .torch = program("torch", R"(echo 'No CUDA runtime is found'
echo '{"torch":"1.13","blas":"openblas-openmp/x.so"}'
echo '{"name":"add","threads":'$1',"ns":10}')"),
                       .threads = {1, 2},
                       .filter = "ad",
                       .rounds = 2};
  std::vector<std::string> progress;
  const BenchRuns runs = run_benchmarks(plan, [&](const std::string& what) { progress.push_back(what); });
  EXPECT_EQ(calls(),
            "ours 1 ad\ntorch 1 ad\nours 1 ad\ntorch 1 ad\nours 2 ad\ntorch 2 ad\nours 2 ad\ntorch 2 ad\n");
  EXPECT_EQ(runs.torch, "PyTorch 1.13 with openblas-openmp/x.so");
  EXPECT_EQ(runs.why_no_torch, "");
  ASSERT_EQ(runs.rows.size(), 2U);
  EXPECT_EQ(runs.rows[1].threads, 2);
  EXPECT_EQ(runs.rows[1].ours, (std::vector<double>{5, 5}));
  EXPECT_EQ(runs.rows[1].torch, (std::vector<double>{10, 10}));
  EXPECT_EQ(progress.size(), 8U);
  EXPECT_EQ(progress[2], "1 thread, round 2 of 2: ours");
}

TEST_F(BenchRun, GoesOnWithoutPyTorch) {
  const BenchPlan plan{
      .ours = our_program(), .torch = program("torch", "echo no PyTorch: none here; exit 77"), .rounds = 2};
  const BenchRuns runs = run_benchmarks(plan, [](const std::string&) {});
  EXPECT_EQ(calls(), "ours 1\ntorch 1\nours 1\n") << "it is asked once";
  EXPECT_EQ(runs.why_no_torch, "no PyTorch: none here");
  EXPECT_EQ(runs.torch, "");
  ASSERT_EQ(runs.rows.size(), 1U);
  EXPECT_EQ(runs.rows[0].ours.size(), 2U);

  const BenchPlan no_python{.ours = our_program(),
                            .torch = Command{.arguments = {(folder / "no such program").string()}}};
  EXPECT_NE(run_benchmarks(no_python, [](const std::string&) {}).why_no_torch, "");
}

TEST_F(BenchRun, SaysWhichProgramFailed) {
  const auto run = [](const BenchPlan& plan) {
    try {
      run_benchmarks(plan, [](const std::string&) {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(run({.ours = our_program("echo out of memory; exit 1")}),
            "tensor_bench failed with exit status 1: out of memory");
  EXPECT_EQ(run({.ours = our_program(), .torch = program("torch", "echo broken; exit 3")}),
            "torch_bench.py failed with exit status 3: broken");
  const BenchPlan unknown{.ours = program("ours", "echo 'there is no such case' >&2; exit 2")};
  EXPECT_THROW(run_benchmarks(unknown, [](const std::string&) {}), NoSuchCase);
}

/// A small project with a preset.
class Preset : public testing::Test {
 protected:
  Preset() {
    write_file(root() / "CMakeLists.txt", R"(cmake_minimum_required(VERSION 3.25)
project(small NONE)
file(APPEND ${CMAKE_SOURCE_DIR}/configured "with ${EXTRA}\n")
add_custom_target(good COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_SOURCE_DIR}/made)
add_custom_target(bad COMMAND ${CMAKE_COMMAND} -E false))");
    write_file(root() / "CMakePresets.json", R"({"version": 6, "configurePresets": [
{"name": "small", "generator": "Ninja", "binaryDir": "${sourceDir}/tree"}]})");
  }
  std::filesystem::path root() const { return folder / "project"; }
  bool build(const std::string& target, const std::vector<std::string>& definitions = {}) const {
    return build_preset({.root = root(),
                         .tree = root() / "tree",
                         .preset = "small",
                         .targets = {target},
                         .definitions = definitions},
                        folder / "log");
  }

  test::TemporaryFolder folder;
};

TEST_F(Preset, IsConfiguredWhenNewOrLackingADefinition) {
  EXPECT_TRUE(build("good"));
  EXPECT_TRUE(std::filesystem::exists(root() / "made"));
  EXPECT_TRUE(build("good"));
  EXPECT_EQ(read_file(root() / "configured"), "with \n");
  EXPECT_TRUE(build("good", {"EXTRA=ON"}));
  EXPECT_TRUE(build("good", {"EXTRA=ON"}));
  EXPECT_EQ(read_file(root() / "configured"), "with \nwith ON\n");
}

TEST_F(Preset, SaysWhetherEverythingWasBuilt) {
  EXPECT_FALSE(build("bad"));
  EXPECT_NE(read_file(folder / "log").find("FAILED"), std::string::npos);
  write_file(root() / "CMakeLists.txt", "message(FATAL_ERROR no)");
  EXPECT_FALSE(build("good", {"EXTRA=ON"}));
}

}  // namespace
}  // namespace lectern::cli
