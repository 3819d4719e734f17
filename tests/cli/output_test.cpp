#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "cli/tool.h"
#include "has.h"

// Where -o leads: files, standard output, pipes and devices.

namespace lectern::cli {
namespace {

using test::has;
namespace fs = std::filesystem;

const fs::path kSources = LECTERN_SOURCE_DIR;
const std::string kSample = quoted(kSources / "tests/site/sample.json");

TEST(Output, IsStandardOutputForADash) {
  const test::TemporaryFolder here;
  ASSERT_EQ(call("export " + kSample + " --to edtrace -o file", here.path()).status, 0);
  for (const char* const output : {"-", "/dev/stdout", "/dev/fd/1"}) {
    const Said said = call("export " + kSample + " --to edtrace -o " + output, here.path());
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out, read_file(here / "file"));
  }
  EXPECT_TRUE(has(call("export " + kSample + " --to ipynb -o -", here.path()).out, "\"nbformat\""));
  EXPECT_EQ(call("diff " + kSample + " " + kSample + " --format json -o -", here.path()).out,
            call("diff " + kSample + " " + kSample + " --format json", here.path()).out);
  write_file(here / "python.json", R"x({"files":{"a.py":"x = 1\n"},"steps":[]})x");
  EXPECT_TRUE(has(call("import python.json -o -", here.path()).out, "\"lecture\":\"python\""));
  EXPECT_EQ(files_below(here.path()), (std::set<fs::path>{"file", "python.json"}));
}

TEST(Output, HasNoFilesBesideItWhereItIsNoFile) {
  const test::TemporaryFolder here;
  const Said said = call("export " + kSample + " --to markdown -o -", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(
      said.err,
      "lectern: /dev/stdout: the images and videos that are shown cannot lie beside it; name a file with "
      "-o\n");
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(call("diff " + kSample + " " + kSample + " --format html -o -", here.path()).status, 2);
  EXPECT_TRUE(fs::is_empty(here.path()));
}

TEST(Output, MayBeLargerThanTheLimitOfFiles) {
  const test::TemporaryFolder here;
  const std::string limit = "ulimit -f 2;";  // blocks of 512 bytes
  EXPECT_EQ(call("export " + kSample + " --to edtrace -o file", here.path(), limit).err,
            "lectern: file: cannot be written: File too large\n");
  const Said said = call("render " + kSample + " -o site", here.path(), limit);
  EXPECT_EQ(said.status, 1);
  EXPECT_TRUE(has(said.err, ": cannot be written: File too large\n")) << said.err;
}

TEST(Output, MayBeADeviceThatIsFull) {
  const test::TemporaryFolder here;
  const fs::path full = here / "full";
  if (::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) GTEST_SKIP() << "no device can be made here";
  const std::string why = "No space left on device";
  const Said said = call("export " + kSample + " --to edtrace -o full", here.path());
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.err, "lectern: full: cannot be written: " + why + "\n");
  const std::string diff = "sh -c '\"$0\" \"$@\" >full' ";
  EXPECT_TRUE(has(call("diff " + kSample + " " + kSample, here.path(), diff).err, why));
  EXPECT_EQ(call("diff " + kSample + " " + kSample, here.path(), diff).status, 2);
  EXPECT_EQ(call("schema", here.path(), diff).status, 1);
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(std::distance(fs::directory_iterator(here.path()), {}), 1);
}

}  // namespace
}  // namespace lectern::cli
