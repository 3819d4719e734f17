#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"
#include "cli/tool.h"
#include "has.h"

// Traces of a GPU, accepted on a machine without one.

namespace lectern::cli {
namespace {

using test::has;
namespace fs = std::filesystem;

std::string trace(const std::string& lecture, const std::string& profile, const std::string& result = "1") {
  return R"({"format":"lectern-trace/1",
"lecture":")" +
         lecture + R"(",
"profile":{"name":")" +
         profile + R"(","threads":1},
"records":[
{"source":0,"path":"figure.cpp","lines":["image(); // )" +
         result + R"("]},
{"function":0,"name":"main","source":0,"span":[1,1,1,9]},
{"site":0,"function":0,"span":[1,1,1,9],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[{"kind":"image","src":"a.svg","alt":"A figure"}]},
{"end":"return","status":0,"steps":1}
]}
)";
}

class AcceptArchive : public testing::Test {
 protected:
  AcceptArchive() {
    fs::create_directories(here / "home/share/lectern");
    fs::create_directories(here / "there/traces");
  }

  void add(const std::string& lecture, const std::string& profile, const std::string& result = "1") const {
    write_file(here / "there/traces" / (lecture + ".json"), trace(lecture, profile, result));
    write_file(here / "there/traces" / (lecture + ".assets") / "a.svg", "<svg/>");
  }
  Said pack_and_accept(const std::string& more = "") const {
    EXPECT_EQ(std::system(("tar -C '" + (here / "there").string() + "' -czPf '" +
                           (here / "traces.tar.gz").string() + "' traces")
                              .c_str()),
              0);
    return call("accept --from traces.tar.gz " + more, here.path(), "LECTERN_HOME=home");
  }
  bool accepted(const std::string& lecture) const {
    return fs::exists(here / "traces/cuda" / (lecture + ".json"));
  }

  test::TemporaryFolder here;
};

TEST_F(AcceptArchive, MakesTheTracesThoseOfTheirProfile) {
  add("one", "cuda");
  add("two", "cuda");
  Said said = pack_and_accept();
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, "one: traces/cuda/one.json\ntwo: traces/cuda/two.json\n");
  EXPECT_TRUE(fs::exists(here / "traces/cuda/two.assets/a.svg"));

  add("two", "cuda", "2");
  said = pack_and_accept("one");
  EXPECT_EQ(said.out, "one: the same as before\n");
  said = pack_and_accept();
  EXPECT_EQ(said.out, "one: the same as before\ntwo: traces/cuda/two.json\n");
  EXPECT_TRUE(has(read_file(here / "traces/cuda/two.json"), "// 2"));

  said = pack_and_accept("one three");
  EXPECT_EQ(said.status, 2);
  EXPECT_TRUE(has(said.err, "three: traces.tar.gz has no trace of it; it has one, two")) << said.err;
}

TEST_F(AcceptArchive, IsNotCheckedWithoutAGpu) {
  add("figure", "cuda");
  EXPECT_EQ(pack_and_accept().status, 0);
  write_file(here / "figure.cpp", "int main() {}\n");
  write_file(here / "build/outside/1/source", (here / "figure.cpp").string());
  for (const char* folder : {"traces/cpu", "build/traces/cpu"}) {
    write_file(here / folder / "figure.json", trace("figure", "cpu"));
    write_file(here / folder / "figure.assets/a.svg", "<svg/>");
  }
  const Said said = call("check --no-run", here.path(), "PATH=/bin LECTERN_HOME=home");
  EXPECT_EQ(said.status, 0) << said.out << said.err;
  EXPECT_TRUE(has(said.err, "traces/cuda is not checked here: this machine records the profile cpu"))
      << said.err;
}

TEST_F(AcceptArchive, RefusesWhatIsNone) {
  EXPECT_TRUE(has(pack_and_accept().err, "it has no trace; give the traces.tar.gz"));

  add("one", "cuda");
  add("two", "cpu");
  Said said = pack_and_accept();
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "it has traces of the profiles c")) << said.err;

  add("two", "../../cuda");
  fs::remove(here / "there/traces/one.json");
  EXPECT_TRUE(has(pack_and_accept().err, "has no name that a folder could have"));

  fs::remove(here / "there/traces/two.json");
  add("one", "cuda");
  fs::create_symlink("/etc/passwd", here / "there/traces/one.assets/b.svg");
  EXPECT_TRUE(has(pack_and_accept().err, "b.svg is neither a file nor a folder"));
  EXPECT_FALSE(fs::exists(here / "traces"));

  write_file(here / "traces.tar.gz", "nonsense");
  said = call("accept --from traces.tar.gz", here.path(), "LECTERN_HOME=home");
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, "traces.tar.gz: it cannot be unpacked")) << said.err;
  EXPECT_EQ(call("accept --from none.tar.gz", here.path(), "LECTERN_HOME=home").status, 2);
}

TEST_F(AcceptArchive, WritesNowhereElse) {
  add("one", "cuda");
  write_file(here / "outside", "before");
  EXPECT_EQ(std::system(("cd '" + (here / "there").string() + "' && tar -czPf '" +
                         (here / "traces.tar.gz").string() + "' traces ../outside")
                            .c_str()),
            0);
  write_file(here / "outside", "after");
  const Said said = call("accept --from traces.tar.gz", here.path(), "LECTERN_HOME=home");
  EXPECT_NE(said.status, 0);
  EXPECT_EQ(read_file(here / "outside"), "after");
}

}  // namespace
}  // namespace lectern::cli
