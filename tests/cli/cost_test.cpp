#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/cost_report.h"
#include "cli/tool.h"

namespace lectern::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrace = R"({"format":"lectern-trace/1",
"lecture":"small",
"records":[
{"source":0,"path":"small.cpp","language":"cpp","lines":[
"void f() { work(); }",
"int main() { f(); }"]},
{"function":0,"name":"f","source":0,"span":[1,1,1,21]},
{"function":1,"name":"main","source":0,"span":[2,1,2,20]},
{"site":0,"function":0,"span":[1,12,1,19]},
{"site":1,"function":1,"span":[2,14,2,18]},
{"stack":0,"function":1},
{"stack":1,"function":0,"parent":0,"call":1},
{"at":1,"in":0,"enter":1,"ns":1000},
{"at":0,"in":1,"enter":1,"flops":2000000,"bytes":4096,"memory":{"cpu":[1024,2048]},"ns":2000000},
{"end":"return","status":0,"steps":2}
]}
)";

Said said_of(const std::string& arguments, const std::string& profile = "{}") {
  const test::TemporaryFolder here;
  std::string trace = kTrace;
  trace.insert(trace.find("\"records\""), "\"profile\":" + profile + ",\n");
  write_file(here.path() / "small.json", trace);
  return call("cost " + arguments, here.path());
}

TEST(Cost, TablesOfFunctionsAndLines) {
  const Said said = said_of("small.json");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out,
            "small: 2 ms, 2 MFLOP, 4.1 kB moved, 2 steps\n\n"
            "time  self  FLOPs  FLOP/s  bytes    peak  calls  function\n"
            "2 ms  1 us    2 M     1 G  4.1 k  2.05 k      1  main  small.cpp:2\n"
            "2 ms  2 ms    2 M     1 G  4.1 k  2.05 k      1  f  small.cpp:1\n\n"
            "time  self  FLOPs  FLOP/s  bytes    peak  runs  line\n"
            "2 ms  1 us    2 M     1 G  4.1 k  2.05 k     1  small.cpp:2  f();\n"
            "2 ms  2 ms    2 M     1 G  4.1 k  2.05 k     1  small.cpp:1  work();\n");
}

TEST(Cost, JsonHasAllOfIt) {
  const Said said = said_of("small.json --json");
  ASSERT_EQ(said.status, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["lecture"], "small");
  EXPECT_EQ(json["devices"], (std::vector<std::string>{"cpu"}));
  EXPECT_EQ(json["functions"].size(), 2U);
  EXPECT_EQ(json["functions"][0]["name"], "f");
  EXPECT_EQ(json["functions"][0]["peak"]["cpu"], 2048);
  EXPECT_EQ(json["lines"][1]["code"], "f();");
  EXPECT_EQ(json["lines"][1]["total"]["ns"], 2001000);
  EXPECT_EQ(json["lines"][1]["self"]["ns"], 1000);
}

TEST(Cost, TellsTheShareOfTheRoof) {
  // Of 488 FLOPs per byte the peak is the roof.
  const std::string profile = R"({"ceilings":{"cpu":{"flops":{"float32":4e9},"bytes":1e9,"measured":true}}})";
  const Said said = said_of("small.json", profile);
  EXPECT_TRUE(has(said.out, ", 2 steps\nroof: cpu, 4 GFLOP/s in float32, 1 GB/s of memory\n\n")) << said.out;
  EXPECT_TRUE(has(said.out,
                  "time  self  FLOPs  FLOP/s  roof  bytes    peak  calls  function\n"
                  "2 ms  1 us    2 M     1 G   25%  4.1 k  2.05 k      1  main  small.cpp:2\n"))
      << said.out;
  const auto json = nlohmann::json::parse(said_of("small.json --json", profile).out);
  EXPECT_EQ(json["roof"]["flops"], 4e9);
  EXPECT_EQ(json["lines"][0]["roof"], 0.25);
  EXPECT_FALSE(nlohmann::json::parse(said_of("small.json --json").out).contains("roof"));
}

TEST(Cost, ATraceWithoutCostsIsNoTable) {
  const test::TemporaryFolder here;
  std::string accepted = kTrace;
  for (const char* const cost :
       {R"(,"ns":1000)", R"(,"flops":2000000,"bytes":4096,"memory":{"cpu":[1024,2048]},"ns":2000000)"})
    accepted.erase(accepted.find(cost), std::string_view(cost).size());
  write_file(here / "accepted.json", accepted);
  const fs::path edtrace = fs::path(LECTERN_SOURCE_DIR) / "tests/edtrace/traces/tensors_later.json";
  for (const std::string& trace : {std::string("accepted.json"), edtrace.string()}) {
    for (const char* const form : {"", " --json"}) {
      const Said said = call("cost '" + trace + "'" + form, here.path());
      EXPECT_EQ(said.status, 1);
      EXPECT_EQ(said.out, "");
      EXPECT_TRUE(said.err.starts_with("lectern: " + trace + ": this trace has no costs;")) << said.err;
      EXPECT_TRUE(has(said.err, "give the name of the lecture")) << said.err;
    }
  }
}

TEST(Cost, RefusesWhatItDoesNotKnow) {
  const Said order = said_of("small.json --sort price");
  EXPECT_EQ(order.status, 2);
  EXPECT_EQ(order.err,
            "lectern: --sort: price not in {bytes,flops,memory,time}; see `lectern cost --help`\n");
  EXPECT_TRUE(has(said_of("--help").out, "--sort TEXT:{bytes,flops,memory,time}"));
  EXPECT_EQ(said_of("small.json --all --json").status, 2);
  EXPECT_EQ(said_of("other.json").status, 1);
}

}  // namespace
}  // namespace lectern::cli
