#include "site/render.h"

#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "site/templates.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;

namespace fs = std::filesystem;

class RenderTest : public ::testing::Test {
 protected:
  RenderTest() {
    fs::create_directories(folder_ / "templates/assets/fonts");
    for (const auto& entry : fs::directory_iterator(source_ / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        fs::copy_file(entry, folder_ / "templates" / entry.path().filename());
    }
    for (const char* name : {"vega-lite-schema.json", "draw_plots.mjs", "draw_plots.bundle.js"})
      fs::copy_file(fs::path(LECTERN_SITE_TEMPLATES) / name, folder_ / "templates" / name);
    for (const char* name : {"viewer.js", "style.css", "fonts/a.woff2"})
      write_file(folder_ / "templates/assets" / name, name);
    fs::copy(source_ / "tests/site/sample.json", folder_ / "sample.json");
    fs::copy(source_ / "tests/site/sample.assets", folder_ / "sample.assets", fs::copy_options::recursive);
  }

  bool render(const std::vector<fs::path>& traces) {
    return render_site(traces,
                       {.output = folder_ / "site",
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

  /// A trace of one plot, at line 2 of curve.cpp.
  fs::path plot_trace(const std::string& spec) {
    write_file(
        folder_ / "curve.json",
        R"({"format":"lectern-trace/1","lecture":"curve","profile":{"name":"cpu","threads":1},"records":[
{"source":0,"path":"curve.cpp","language":"cpp","lines":["int main() {","  plot(spec);","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,14],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[{"kind":"plot","spec":)" +
            spec + R"(,"alt":"A curve"}]},
{"end":"returned","status":0,"steps":1}
]})");
    return folder_ / "curve.json";
  }

  const fs::path source_ = LECTERN_SOURCE_DIR;
  const test::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(RenderTest, MakesASite) {
  render({folder_ / "sample.json"});
  EXPECT_TRUE(warnings_.empty());
  const std::string page = site_file("sample/index.html");
  EXPECT_TRUE(has(page, "<!doctype html>\n<html lang=\"en\" data-math=\"near\" data-costed>"));
  EXPECT_TRUE(has(page, "<title>Pairs of neighbours &#183; Lectern</title>"));
  EXPECT_TRUE(has(page, "&#10003; 1 claim verified"));
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
  ASSERT_EQ(warnings_.size(), 1u);  // Vega-Lite draws no line without an encoding
  EXPECT_TRUE(warnings_[0].starts_with("tensors.py:49: plot: no picture is made of it")) << warnings_[0];
  const std::string page = site_file("lecture_01/index.html");
  EXPECT_TRUE(has(page, "<title>Tensors &#183; Lectern</title>"));
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
  EXPECT_FALSE(has(page, "id=\"s0-48\""));  // seen in raw view only
  EXPECT_TRUE(
      has(read_file(folder_ / "site/lecture_01/source.js"), "row code raw hide\\\" id=\\\"s0-48\\\""));
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
      EXPECT_TRUE(tag.starts_with("<script src=\"") && (tag.ends_with("\">") || tag.ends_with("\" defer>")))
          << tag;
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
  EXPECT_TRUE(has(home, "<a class=\"tag\" href=\"tags/counting.html\">counting</a>"));
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

TEST_F(RenderTest, WrongSpecificationsOfPlotsAreErrorsAtTheirLine) {
  const std::string data = R"("data":{"values":[{"step":0,"loss":1}]})";
  EXPECT_TRUE(render({plot_trace("{" + data + R"(,"mark":"line","encoding":{"x":{"field":"step"}}})")}));
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
  EXPECT_TRUE(has(site_file("curve/index.html"), "role=\"img\" aria-label=\"A curve\""));
  EXPECT_TRUE(has(site_file("curve/index.html"), "<svg class=\"still wide\""));
  EXPECT_FALSE(has(site_file("curve/steps.js"), "still wide"));  // the script draws its own
  EXPECT_FALSE(
      render({plot_trace("{" + data + R"(,"mark":"</script>","encoding":{"x":{"field":"stpe"}}})")}));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("curve.cpp:2: plot: mark: \"</script>\" is not one of "))
      << warnings_[0];
  const std::string page = site_file("curve/index.html");
  EXPECT_TRUE(has(page,
                  "<div class=\"chart failed\"><p class=\"missing\">This plot can&#8217;t be drawn: mark: "
                  "&quot;&lt;/script&gt;&quot; is not one of "));
  EXPECT_TRUE(has(page, "Specification of a plot"));
  EXPECT_FALSE(render({plot_trace("{" + data + R"(,"mark":"line","encoding":{"x":{"field":"stpe"}}})")}));
  EXPECT_TRUE(
      warnings_.back().starts_with("curve.cpp:2: plot: encoding.x.field: \"stpe\" is not in the data"))
      << warnings_.back();
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
