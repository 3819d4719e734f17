#include <sstream>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/tool.h"

namespace lectern::cli {
namespace {
namespace fs = std::filesystem;

void write_program(const fs::path& file, const std::string& script) {
  write_file(file, "#!/bin/bash\n" + script);
  fs::permissions(file, fs::perms::owner_all);
}

/// A bundle whose tensor_bench crashes in one of its cases, and whose python3 has a PyTorch.
class BenchOnGpu : public testing::Test {
 protected:
  BenchOnGpu() {
    write_file(folder / "commit", "abc1234\narchitectures 90\n");
    write_program(folder / "bin/tensor_bench", R"(if [ $1 = --list ]; then printf '%s\n' add crash; exit; fi
[ $3 = crash ] && kill -SEGV $$
echo '{"name":"'$3'","tensors":"[8]","ns":5000,"bytes":1,"flops":2,"limit_ns":1000,"limited_by":"memory","limit_of":"H200","known":""}')");
    write_file(folder / "bin/torch_bench.py", "");
    write_program(folder / "tools/python3", R"(echo '{"torch":"2.11","cuda":"13.0"}'
shift 2
for name; do echo '{"name":"'$name'","ns":6000}'; done)");
  }
  Said bench(const std::string& arguments) const {
    return call("bench " + arguments + " --device cuda --program bin/tensor_bench --json-lines results.jsonl",
                folder.path(), "PATH='" + (folder / "tools").string() + "':$PATH");
  }
  /// One JSON object for each line.
  std::vector<nlohmann::json> results() const {
    std::vector<nlohmann::json> all;
    std::istringstream lines(read_file(folder / "results.jsonl"));
    for (std::string line; std::getline(lines, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }

  test::TemporaryFolder folder;
};

TEST_F(BenchOnGpu, ShowsWhatFailedAndSaysSo) {
  const Said said = bench("--against torch --limit 60");
  EXPECT_EQ(said.status, 1) << said.err;
  EXPECT_NE(said.out.find("add    [8]      5.00 µs      20 %"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("✗ ours, crash: ended by signal 11"), std::string::npos) << said.out;
  EXPECT_NE(said.out.find("commit abc1234\ntorch: PyTorch 2.11 with CUDA 13.0\n"), std::string::npos)
      << said.out;
  const auto lines = results();
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0]["format"], "lectern-bench-lines/1");
  EXPECT_EQ(lines[0]["commit"], "abc1234");
  EXPECT_EQ(lines[1]["ns"], 5000);
  EXPECT_TRUE(lines[2].contains("error")) << lines[2];
  EXPECT_EQ(lines[5]["name"], "crash");
  EXPECT_EQ(lines[5]["ns"], 6000);
}

TEST_F(BenchOnGpu, AddsToTheLinesThatAreThere) {
  EXPECT_EQ(bench("add").status, 0);
  EXPECT_EQ(bench("add --against torch").status, 0);
  EXPECT_EQ(results().size(), 2U + 4U);
  EXPECT_EQ(bench("sub").status, 2) << "no such case";
}

TEST_F(BenchOnGpu, RefusesOptionsOfTheOtherDevice) {
  for (const char* option : {"--threads 2", "--rounds 3", "--json file"}) {
    const Said said = bench(option);
    EXPECT_EQ(said.status, 2) << option;
    EXPECT_NE(said.err.find("is not for --device cuda"), std::string::npos) << said.err;
  }
  for (const char* option : {"--limit 9", "--case-limit 9", "--json-lines file"}) {
    const Said said = call(std::string("bench ") + option, folder.path());
    EXPECT_EQ(said.status, 2) << option;
    EXPECT_NE(said.err.find("is for --device cuda only"), std::string::npos) << said.err;
  }
  EXPECT_EQ(call("bench --device cuda --program bin/tensor_bench --json-lines no/such/folder", folder.path())
                .status,
            1);
}

}  // namespace
}  // namespace lectern::cli
