#include "site/render.h"

#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "site/templates.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class RenderTest : public ::testing::Test {
 protected:
  RenderTest() {
    fs::create_directories(folder_ / "templates/assets/fonts");
    for (const char* name : {"lecture.mustache", "home.mustache"}) {
      fs::copy_file(source_ / "site_templates" / name, folder_ / "templates" / name);
    }
    for (const char* name : {"viewer.js", "style.css", "fonts/a.woff2"})
      write_file(folder_ / "templates/assets" / name, name);
    fs::copy(source_ / "tests/site/sample.json", folder_ / "sample.json");
    fs::copy(source_ / "tests/site/sample.assets", folder_ / "sample.assets", fs::copy_options::recursive);
  }

  void render(const std::vector<fs::path>& traces) {
    render_site(traces, {.output = folder_ / "site",
                         .templates = folder_ / "templates",
                         .warn = [this](const std::string& warning) { warnings_.push_back(warning); }});
  }
  std::string site_file(const std::string& name) const { return read_file(folder_ / "site" / name); }

  /// A copy of the sample under another name of file and lecture.
  fs::path copy_as(const std::string& file, const std::string& lecture) {
    std::string text = read_file(folder_ / "sample.json");
    const std::string name = "\"lecture\":\"sample\"";
    text.replace(text.find(name), name.size(), "\"lecture\":\"" + lecture + "\"");
    write_file(folder_ / (file + ".json"), text);
    return folder_ / (file + ".json");
  }

  const fs::path source_ = LECTERN_SOURCE_DIR;
  const test::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(RenderTest, MakesASite) {
  render({folder_ / "sample.json"});
  EXPECT_TRUE(warnings_.empty());
  const std::string page = site_file("sample/index.html");
  EXPECT_TRUE(has(page, "<!doctype html>\n<html lang=\"en\">"));
  EXPECT_TRUE(has(page, "<title>Pairs of neighbours · Lectern</title>"));
  EXPECT_TRUE(has(page, "\u2713 1 claim verified"));
  EXPECT_TRUE(has(page, "../assets/katex.css"));
  EXPECT_TRUE(has(page, "id=\"counting-pairs\""));
  EXPECT_TRUE(has(page, "src=\"assets/bits.svg\""));
  EXPECT_TRUE(site_file("sample/steps.js").starts_with("lectern({"));
  EXPECT_TRUE(has(site_file("index.html"), "<a href=\"sample/index.html\">Pairs of neighbours</a>"));
  for (const char* name : {"sample/assets/bits.svg", "assets/viewer.js", "assets/fonts/a.woff2"}) {
    EXPECT_TRUE(fs::is_regular_file(folder_ / "site" / name)) << name;
  }
}

TEST_F(RenderTest, PagesOfPythonLecturesThatEdtraceRecorded) {
  const fs::path trace = folder_ / "var/traces/lecture_01.json";
  fs::create_directories(trace.parent_path());
  fs::copy(source_ / "tests/edtrace/traces/tensors_later.json", trace);
  fs::create_directories(folder_ / "images");
  fs::copy(folder_ / "sample.assets/bits.svg", folder_ / "images/bits.svg");
  render({trace});
  EXPECT_TRUE(warnings_.empty()) << warnings_.front();
  const std::string page = site_file("lecture_01/index.html");
  EXPECT_TRUE(has(page, "<title>Tensors · Lectern</title>"));
  EXPECT_TRUE(has(page, "recorded with edtrace"));
  // Python.
  EXPECT_TRUE(has(page, "<span class=\"k\">def</span> <span class=\"f\">largest</span>(numbers: list"));
  EXPECT_TRUE(has(page, "<span class=\"cm\"># one more comparison</span>"));
  EXPECT_TRUE(has(page, "<span class=\"directive\">  <span class=\"cm\"># @inspect best</span></span>"));
  // What lines rendered stands in their place, over all lines of the call.
  EXPECT_TRUE(has(page, "<h2 id=\"tensors\">Tensors</h2>"));
  EXPECT_TRUE(has(page, "data-line=\"27\" data-end=\"35\""));
  EXPECT_TRUE(has(page, "[Vaswani+ 2017]</a>"));
  EXPECT_TRUE(has(page, "<a class=\"fn\" href=\"#s0-15\"><code>largest</code></a>"));
  EXPECT_TRUE(has(page, "<a class=\"fn\" href=\"#s0-10\"><code>Shape</code></a>"));
  EXPECT_TRUE(has(page, "src=\"assets/images/bits.svg\" alt=\"\" width=\"200\""));
  EXPECT_TRUE(fs::is_regular_file(folder_ / "site/lecture_01/assets/images/bits.svg"));
  // Nothing is loaded from elsewhere.
  EXPECT_TRUE(has(page, "<a class=\"ref\" href=\"https://example.org/remote.png\">"));
  EXPECT_FALSE(has(page, "src=\"http"));
  // Values.
  EXPECT_TRUE(has(page, "float32 [2, 2]"));
  EXPECT_TRUE(has(page, "{rows: 2, columns: 3}"));
  EXPECT_TRUE(has(page, "row code raw hide\" id=\"s0-48\""));
}

TEST_F(RenderTest, FilesOfUnknownLanguagesAreShownPlain) {
  write_file(folder_ / "julia.json",
             R"({"files":{"a.jl":"function f(x) # half\n  \"a\" // 2\nend\n"},"steps":[)"
             R"({"stack":[{"path":"b.py","line_number":700,"function_name":"caller"},)"
             R"({"path":"a.jl","line_number":2,"function_name":"f"}]}]})");
  render({folder_ / "julia.json"});
  const std::string page = site_file("julia/index.html");
  EXPECT_TRUE(has(page, ">function f(x) # half</code>"));
  EXPECT_TRUE(has(page, ">  &quot;a&quot; // 2</code>"));
}

TEST_F(RenderTest, PagesCarryThePolicyAndNoScriptOfTheirOwn) {
  render({folder_ / "sample.json"});
  for (const char* name : {"sample/index.html", "index.html"}) {
    const std::string page = site_file(name);
    EXPECT_TRUE(has(page, std::string("content=\"") + kContentSecurityPolicy + "\"")) << name;
    EXPECT_FALSE(has(page, "<style")) << name;
    EXPECT_FALSE(has(page, " onclick")) << name;
    for (std::size_t at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1)) {
      const std::string tag = page.substr(at, page.find("</script>", at) - at);
      EXPECT_TRUE(tag.starts_with("<script src=\"") && tag.ends_with("\">")) << tag;
    }
    for (const char* elsewhere : {"src=\"http", "href=\"http://", "url(", "//cdn"})
      EXPECT_FALSE(has(page, elsewhere)) << name;
  }
}

TEST_F(RenderTest, TwiceChangesNothing) {
  render({folder_ / "sample.json"});
  std::map<fs::path, fs::file_time_type> before;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "site")) {
    if (!entry.is_regular_file()) continue;
    fs::last_write_time(entry.path(), entry.last_write_time() - std::chrono::hours(1));
    before[entry.path()] = fs::last_write_time(entry.path());
  }
  EXPECT_GE(before.size(), 8u);
  render({folder_ / "sample.json"});
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "site")) {
    if (!entry.is_regular_file()) continue;
    ++count;
    EXPECT_EQ(fs::last_write_time(entry.path()), before[entry.path()]) << entry.path();
  }
  EXPECT_EQ(count, before.size());
}

TEST_F(RenderTest, AssetsThatAreGoneDisappear) {
  write_file(folder_ / "sample.assets/old.svg", "<svg>");
  render({folder_ / "sample.json"});
  EXPECT_TRUE(fs::exists(folder_ / "site/sample/assets/old.svg"));
  fs::remove(folder_ / "sample.assets/old.svg");
  render({folder_ / "sample.json"});
  EXPECT_FALSE(fs::exists(folder_ / "site/sample/assets/old.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "site/sample/assets/bits.svg"));
}

TEST_F(RenderTest, TheHomePageListsEarlierLecturesToo) {
  render({copy_as("b", "lecture_02")});
  render({copy_as("a", "lecture_01")});
  const std::string home = site_file("index.html");
  EXPECT_LT(home.find("lecture_01/index.html"), home.find("lecture_02/index.html"));
  EXPECT_TRUE(has(home, "40 steps"));
  EXPECT_TRUE(has(home, "1 claim verified"));
  EXPECT_TRUE(has(home, "Counting neighbours"));
  EXPECT_TRUE(has(home, "<span class=\"tag\">counting</span>"));
}

TEST_F(RenderTest, TheHomePageLeadsToOtherProfilesAndBack) {
  render_site({folder_ / "sample.json"},
              {.output = folder_ / "site/cuda", .templates = folder_ / "templates", .profile = "cuda"});
  render({folder_ / "sample.json"});
  EXPECT_TRUE(has(site_file("index.html"), "href=\"cuda/index.html\""));
  EXPECT_TRUE(has(site_file("index.html"), "href=\"sample/index.html\""));
  EXPECT_FALSE(has(site_file("index.html"), "href=\"../index.html\""));
  EXPECT_TRUE(has(site_file("cuda/index.html"), "recorded for the profile cuda"));
  EXPECT_TRUE(has(site_file("cuda/index.html"), "href=\"../index.html\""));
}

TEST_F(RenderTest, TheHomePageSaysWhichLecturesEndedEarly) {
  render({folder_ / "sample.json"});
  EXPECT_FALSE(has(site_file("index.html"), "class=\"ended\""));
  std::string text = read_file(folder_ / "sample.json");
  const std::string end = "\"end\":\"return\"";
  text.replace(text.find(end), end.size(), "\"end\":\"exception\"");
  write_file(folder_ / "sample.json", text);
  render({folder_ / "sample.json"});
  EXPECT_TRUE(has(site_file("index.html"), "<p class=\"ended\">The run ended with an exception.</p>"));
}

TEST_F(RenderTest, NamesThatLeaveTheSiteAreRefused) {
  for (const char* name : {"../x", "a/b", "..", ".", "", "assets", "a b", "<b>"}) {
    EXPECT_THROW(render({copy_as("evil", name)}), Error) << name;
  }
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

TEST_F(RenderTest, MissingScriptsAndStylesAreAnError) {
  fs::remove_all(folder_ / "templates/assets");
  EXPECT_THROW(render({folder_ / "sample.json"}), Error);
}

TEST_F(RenderTest, MissingImagesAreAWarningAtTheirLine) {
  fs::remove_all(folder_ / "sample.assets");
  render({folder_ / "sample.json"});
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("sample.cpp:44: the image bits.svg")) << warnings_[0];
  EXPECT_TRUE(has(site_file("sample/index.html"), "Four symbols in a row"));
}

}  // namespace
}  // namespace lectern
