#include "edtrace/load.h"

#include <tuple>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/media_type.h"
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

constexpr const char* kPng = "\x89PNG\r\n\x1A\n";

TEST(Load, FilesOfEdtraceLieAroundItsTrace) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "var/traces/a.json";
  for (const auto& [name, place, content] :
       {std::tuple("images/one.svg", "images/one.svg", "<svg>root</svg>"),
        std::tuple("var/files/two.png", "var/files/two.png", kPng),
        std::tuple("beside.gif", "var/traces/beside.gif", "GIF89a")}) {
    write_file(folder / place, content);
    write_file(trace, document_showing(name));
    const auto files = shown_files(load_trace(trace), trace);
    ASSERT_EQ(files.size(), 1U) << name;
    EXPECT_EQ(read_file(files.at(name)), content);
  }
}

TEST(Load, WhatAFileIsIsToldByItsContent) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "var/traces/a.json";
  for (const auto& [name, content, shown] :
       {std::tuple("var/files/image-ab12", kPng, "var/files/image-ab12.png"),
        std::tuple("var/files/image.com_a_v1.2", "GIF87a", "var/files/image.com_a_v1.2.gif"),
        std::tuple("named.png", "\xFF\xD8\xFF\xE0", "named.png.jpg"),
        std::tuple("photo.JPEG", "\xFF\xD8\xFF\xE0", "photo.JPEG"),
        std::tuple("drawing", "<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<svg xmlns=\"\"/>",
                   "drawing.svg")}) {
    write_file(folder / name, content);
    write_file(trace, document_showing(name));
    const Trace loaded = load_trace(trace);
    EXPECT_EQ(std::get<rendering::Image>(loaded.steps[0].details().show[0].form).src, shown);
    const auto files = shown_files(loaded, trace);
    ASSERT_EQ(files.size(), 1U) << name;
    EXPECT_EQ(read_file(files.at(shown)), content);
  }
}

TEST(Load, WhatTheTraceHasInItselfComesAlong) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "a.json";
  write_file(trace, document_showing(data_url(kPng)));
  const Trace loaded = load_trace(trace);
  const std::string name = std::get<rendering::Image>(loaded.steps[0].details().show[0].form).src;
  EXPECT_TRUE(name.ends_with(".png")) << name;
  EXPECT_EQ(read_file(shown_files(loaded, trace).at(name)), kPng);
  for (const char* none : {"data:", "data:image/png;base64,", "data:image/png;base64,AA=", "data:image/png,x",
                           "data:image/png;base64,PGh0bWw+"}) {
    write_file(trace, document_showing(none));
    const Trace without = load_trace(trace);
    EXPECT_EQ(std::get<rendering::Image>(without.steps[0].details().show[0].form).src, "in the trace itself");
    EXPECT_TRUE(shown_files(without, trace).empty()) << none;
  }
}

TEST(Load, FilesThatLinksLeadToComeAlong) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "var/traces/a.json";
  write_file(folder / "papers/a.pdf", "%PDF-1.7");
  write_file(folder / "papers/b.pdf", "%PDF-1.4");
  write_file(folder / "notes.txt", "secret");
  write_file(
      trace,
      R"x({"files":{"a.py":"x\n"},"steps":[{"stack":[{"path":"a.py","line_number":1,"function_name":"main"}],)x"
      R"x("renderings":[{"type":"markdown","data":"[a](papers/a.pdf#page=2) [n](notes.txt) [w](https://e.org/c)"},)x"
      R"x({"type":"link","external_link":{"title":"B","url":"./papers/b.pdf"}}]}]})x");
  const auto files = shown_files(load_trace(trace), trace);
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(read_file(files.at("papers/a.pdf")), "%PDF-1.7");
  EXPECT_EQ(read_file(files.at("papers/b.pdf")), "%PDF-1.4");
}

TEST(Load, NoFileOutsideAndNoneThatIsNoPicture) {
  const test::TemporaryFolder folder;
  const fs::path trace = folder / "project/var/traces/a.json";
  write_file(folder / "secret.png", kPng);
  write_file(folder / "project/notes.txt", "secret");
  write_file(folder / "project/images/real.png", kPng);
  write_file(folder / "project/images/text.png", "secret");
  write_file(folder / "project/images/page.svg", "<html><svg></svg></html>");
  fs::create_symlink(folder / "secret.png", folder / "project/images/link.png");
  for (const std::string& name :
       {std::string("../secret.png"), std::string("notes.txt"), std::string("images/link.png"),
        std::string("images/missing.png"), std::string("images/text.png"), std::string("images/page.svg"),
        (folder / "secret.png").string(), std::string("images")}) {
    write_file(trace, document_showing(name));
    EXPECT_TRUE(shown_files(load_trace(trace), trace).empty()) << name;
  }
  write_file(trace, document_showing("images/real.png"));
  EXPECT_EQ(shown_files(load_trace(trace), trace).size(), 1U);
}

}  // namespace
}  // namespace lectern
