#include "edtrace/load.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "edtrace/fixtures.h"
#include "edtrace/import.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

using test::kTests;

std::string document_showing(const std::string& image) {
  return R"({"files":{"a.py":"x\n"},"steps":[{"stack":[{"path":"a.py","line_number":1,"function_name":"main"}],)"
         R"("renderings":[{"type":"image","data":")" +
         image + R"("}]}]})";
}

TEST(Load, TellsTheFormatsApart) {
  EXPECT_EQ(load_trace(kTests / "site/sample.json").lecture, "sample");
  const Trace theirs = load_trace(kTests / "edtrace/traces/tensors_2025.json");
  EXPECT_EQ(theirs.lecture, "tensors_2025");
  EXPECT_TRUE(came_from_edtrace(theirs));
}

TEST(Load, RefusesOtherFiles) {
  const test::TemporaryFolder folder;
  write_file(folder / "other.json", "{\"a\":1}");
  write_file(folder / "empty.json", "");
  for (const char* const name : {"other.json", "empty.json", "missing.json"}) {
    try {
      load_trace(folder / name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with((folder / name).string())) << error.what();
    }
  }
}

TEST(Load, FilesOfALecternTraceLieInItsAssets) {
  const auto files = shown_files(load_trace(kTests / "site/sample.json"), kTests / "site/sample.json");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.at("bits.svg"), kTests / "site/sample.assets/bits.svg");
}

TEST(Load, FilesOfEdtraceLieAroundItsTrace) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "var/traces/a.json";
  write_file(folder / "images/one.svg", "root");
  write_file(folder / "var/files/two.png", "cached");
  write_file(folder / "var/traces/beside.gif", "beside");
  for (const auto& [name, content] :
       {std::pair("images/one.svg", "root"), std::pair("var/files/two.png", "cached"),
        std::pair("beside.gif", "beside")}) {
    write_file(trace, document_showing(name));
    const auto files = shown_files(load_trace(trace), trace);
    ASSERT_EQ(files.size(), 1U) << name;
    EXPECT_EQ(read_file(files.at(name)), content);
  }
}

TEST(Load, NoFileOutsideAndNoneThatIsNoPicture) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "project/var/traces/a.json";
  write_file(folder / "secret.png", "secret");
  write_file(folder / "project/notes.txt", "secret");
  write_file(folder / "project/images/real.png", "fine");
  fs::create_symlink(folder / "secret.png", folder / "project/images/link.png");
  for (const std::string& name :
       {std::string("../secret.png"), std::string("notes.txt"), std::string("images/link.png"),
        std::string("images/missing.png"), (folder / "secret.png").string(), std::string("images")}) {
    write_file(trace, document_showing(name));
    EXPECT_TRUE(shown_files(load_trace(trace), trace).empty()) << name;
  }
  write_file(trace, document_showing("images/real.png"));
  EXPECT_EQ(shown_files(load_trace(trace), trace).size(), 1U);
}

}  // namespace
}  // namespace lectern
