#include <gtest/gtest.h>

#include "cli/tool.h"
#include "has.h"

namespace lectern::cli {
namespace {

using test::has;
namespace fs = std::filesystem;

/// A lecture of two statements that show texts; the second does not run where it has none.
std::string talk(const std::string& first, const std::string& second, bool twice = false) {
  const std::string step =
      R"({"at":0,"in":0,"enter":1,"show":[{"kind":"text","markdown":")" + first + "\"}]},\n";
  return R"({"format":"lectern-trace/1",
"lecture":"talk",
"profile":{"name":"cpu","threads":1},
"records":[
{"source":0,"path":"talk.cpp","lines":["void talk() {","  text(a);","  text(b);","}"]},
{"function":0,"name":"talk","source":0,"span":[1,1,4,2]},
{"site":0,"function":0,"span":[2,3,2,11],"kind":"hook"},
{"site":1,"function":0,"span":[3,3,3,11],"kind":"hook"},
{"stack":0,"function":0},
)" + step +
         (twice ? step : "") + R"({"at":1,"in":0,"show":[{"kind":"text","markdown":")" + second + R"("}]},
{"end":"return","status":0,"steps":)" +
         (twice ? "3" : "2") + "}\n]}\n";
}

class Accept : public testing::Test {
 protected:
  Accept() {
    fs::create_directories(here / "home/share/lectern");
    write_file(here / "talk.cpp", "int main() {}\n");
    write_file(here / "build/outside/1/source", (here / "talk.cpp").string());
    write_file(now, talk("a", "b"));
  }

  Said call_tool(const std::string& arguments) const {
    return call(arguments, here.path(), "LECTERN_HOME=home");
  }

  test::TemporaryFolder here;
  const fs::path now = here / "build/traces/cpu/talk.json", before = here / "traces/cpu/talk.json";
};

TEST_F(Accept, ReplacesWhatCannotBeRead) {
  ASSERT_EQ(call_tool("accept").status, 0);
  const std::string whole = read_file(before);
  for (const std::string& broken :
       {"<<<<<<< ours\n" + whole + "=======\n" + whole + ">>>>>>> theirs\n", std::string(),
        std::string(R"({"format":"lectern-trace/2","lecture":"talk"})")}) {
    write_file(before, broken);
    const Said check = call_tool("check --no-run --no-drafts");
    EXPECT_EQ(check.status, 2) << check.err;
    EXPECT_TRUE(has(check.out, "1 lecture: 0 the same; 1 could not be compared\n")) << check.out << check.err;
    const Said item = call_tool("accept 'talk#123456'");
    EXPECT_EQ(item.status, 1);
    EXPECT_TRUE(has(item.err, "; `lectern accept` the lecture whole")) << item.err;
    EXPECT_EQ(read_file(before), broken);
    const Said said = call_tool("accept talk");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(has(said.out, "  whole, as the trace before could not be read: ")) << said.out;
    EXPECT_EQ(read_file(before), whole);
  }
  EXPECT_EQ(call_tool("accept talk").out, "talk: the same as before\n");
}

TEST_F(Accept, TellsWhichItemsComeWithAnother) {
  ASSERT_EQ(call_tool("accept").status, 0);
  write_file(now, talk("a", "", true));
  const std::string report = call_tool("check --no-run").out;
  const std::size_t flow = report.find("  control flow statement: ran once");
  ASSERT_NE(flow, std::string::npos) << report;
  const std::string id = report.substr(report.rfind('#', flow), 7);
  const Said said = call_tool("accept 'talk" + id + "'");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_TRUE(has(said.out, "talk: traces/cpu/talk.json\n  with it: #")) << said.out << report;
  EXPECT_FALSE(has(said.out, "with it: " + id)) << said.out;
}

}  // namespace
}  // namespace lectern::cli
