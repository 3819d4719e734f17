#include "site/beside.h"

#include <map>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "site/render.h"
#include "site/site_pages.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;

/// A lecture in C++, and what edtrace recorded of the same one in Python.
class Beside : public ::testing::Test {
 protected:
  Beside() {
    options_.output = folder_ / "site";
    options_.templates = folder_ / "templates";
    options_.warn = [this](const std::string& warning) { said_.push_back(warning); };
    write_file(options_.templates / "assets/style.css", "");
    for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        fs::copy_file(entry, options_.templates / entry.path().filename());
    }
    write_file(cpp_, R"({"format":"lectern-trace/1","lecture":"a","profile":{"name":"cpu"},"records":[
      {"source":0,"path":"a.cpp","language":"cpp","lines":["void twice() {","}","int main() {","  twice();","}"]},
      {"function":0,"name":"main","source":0,"span":[3,1,5,2]},
      {"function":1,"name":"twice","source":0,"span":[1,1,2,2]},
      {"site":0,"function":0,"span":[4,3,4,11]},{"site":1,"function":1,"span":[1,1,1,5]},
      {"stack":0,"function":0},{"stack":1,"function":1,"parent":0,"call":0},
      {"at":0,"in":0,"enter":1,"show":[{"kind":"front","title":"A <b>title</b>"}]},{"at":1,"in":1,"enter":1},{"at":0,"in":0,"after":true},
      {"end":"return","status":0,"steps":3}]})");
    write_file(python_,
               R"({"files":{"a.py":"def double():\n    pass\n\ndef main():\n    double()\n"},"steps":[
      {"stack":[{"path":"a.py","line_number":4,"function_name":"main"}],"env":{}},
      {"stack":[{"path":"a.py","line_number":5,"function_name":"main"}],"env":{}},
      {"stack":[{"path":"a.py","line_number":5,"function_name":"main"},{"path":"a.py","line_number":2,"function_name":"double"}],"env":{}},
      {"stack":[{"path":"a.py","line_number":5,"function_name":"main"}],"env":{}}]})");
  }

  std::string site_file(const std::string& name) const { return read_file(options_.output / name); }
  bool exists(const std::string& name) const { return fs::exists(options_.output / name); }
  bool render_further(const std::vector<fs::path>& traces) {
    RenderOptions further = options_;
    further.first_traces = folder_ / "traces/cpu";
    return render_site(traces, further);
  }

  const test::TemporaryFolder folder_;
  const fs::path cpp_ = folder_ / "traces/cpu/a.json", python_ = folder_ / "traces/python/a.json";
  RenderOptions options_;
  std::vector<std::string> said_;
};

TEST_F(Beside, IsAPageThatBothOfTheOthersLeadTo) {
  EXPECT_TRUE(render_site({cpp_, python_}, options_));
  EXPECT_TRUE(
      has(site_file("a/index.html"),
          "data-profile=\"python\">Python</a><a class=\"both\" href=\"../a/python/beside.html\" title="));
  EXPECT_TRUE(
      has(site_file("a/python/index.html"), "<a class=\"both\" href=\"../../a/python/beside.html\" title="));
  const std::string page = site_file("a/python/beside.html");
  EXPECT_TRUE(has(page, "<a class=\"both\" href=\"../../a/python/beside.html\" aria-current=\"page\""));
  EXPECT_TRUE(has(page, "<a href=\"../../a/index.html\" data-profile=\"cpu\">CPU</a>"))
      << "neither is shown alone";
  EXPECT_TRUE(has(page, "title=\"C++ \u00B7 CPU\" src=\"../index.html\">") ||
              has(page, "title=\"C++ &#183; CPU\" src=\"../index.html\">"));
  EXPECT_TRUE(has(page, "title=\"Python\" src=\"index.html\">"));
  EXPECT_TRUE(has(page, "; frame-src 'self'\">"));
  EXPECT_TRUE(has(page, "<meta name=\"description\" content=\""));
  EXPECT_FALSE(has(page, "<b>title")) << "what a trace says is text";
  EXPECT_FALSE(has(site_file("a/index.html"), "frame-src"));
  EXPECT_TRUE(said_.empty());
}

TEST_F(Beside, IsNoMoreThanItsRun) {
  render_site({cpp_}, options_);
  EXPECT_FALSE(has(site_file("a/index.html"), "both"));
  EXPECT_TRUE(render_further({python_}));
  EXPECT_TRUE(exists("a/python/beside.html") && exists("a/python/beside.js"));
  // Another run of the same program is not beside it.
  std::string same = read_file(cpp_);
  same.replace(same.find("\"cpu\""), 5, "\"cuda\"");
  write_file(folder_ / "traces/cuda/a.json", same);
  EXPECT_TRUE(render_further({folder_ / "traces/cuda/a.json"}));
  EXPECT_FALSE(exists("a/python") || exists("a/cuda/beside.html") || exists("a/cuda/beside.js"));
  EXPECT_FALSE(has(site_file("a/index.html"), "both"));
  EXPECT_TRUE(render_further({folder_ / "traces/cuda/a.json", python_}));
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), "href=\"../../a/python/beside.html\""));
}

TEST_F(Beside, FindsTheFirstRunsTraceElsewhere) {
  render_site({cpp_}, options_);
  RenderOptions further = options_;
  further.first_traces = folder_ / "nowhere";
  render_site({python_}, further);
  EXPECT_FALSE(exists("a/python/beside.js"));
  further.first_elsewhere = {{"a", cpp_}};
  render_site({python_}, further);
  EXPECT_TRUE(exists("a/python/beside.js"));
}

TEST_F(Beside, HasTheFilesOfItsOwnProgram) {
  write_file(folder_ / "traces/cpu/a.assets/figure.svg", "<svg/>");
  render_site({cpp_, python_}, options_);
  EXPECT_FALSE(exists("a/python/assets/figure.svg"));
}

TEST_F(Beside, HasTheStepsThatCorrespond) {
  render_site({cpp_, python_}, options_);
  // main's steps are 0, 2 and 0, 1, 3; `twice` and `double` have nothing in common.
  EXPECT_EQ(site_file("a/python/beside.js"), "lecternBeside([\"ADE\",\"AADG\"]);\n") << "0 -1 1, 0 0 -1 2";
}

TEST_F(Beside, HasFunctionsThatAreSaidToCorrespond) {
  options_.settings = parse_site_settings("[beside.a]\ntwice = \"double\"\n", "site.toml");
  EXPECT_TRUE(render_site({cpp_, python_}, options_));
  EXPECT_EQ(site_file("a/python/beside.js"), "lecternBeside([\"CCC\",\"AACC\"]);\n") << "1 2 3, 0 0 1 2";
  EXPECT_TRUE(said_.empty());
  EXPECT_TRUE(misplaced_counterparts(read_site(options_)).empty());
}

TEST_F(Beside, WrongNamesAreErrorsAtTheirLines) {
  options_.settings = parse_site_settings(
      "[beside.a]\ntwice = \"doubled\"\n\n[beside.lecture_2]\nf = \"g\"\n[beside.b]\n", "site.toml");
  EXPECT_FALSE(render_site({cpp_, python_}, options_));
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_EQ(said_[0], "site.toml:2: there is no function `doubled` in a.py; did you mean `double`?");
  EXPECT_TRUE(exists("a/python/beside.js")) << "without the pair";
  const auto misplaced = misplaced_counterparts(read_site(options_));
  ASSERT_EQ(misplaced.size(), 2u);
  EXPECT_TRUE(misplaced[0].starts_with("site.toml:6: there is no lecture `b`")) << misplaced[0];
  EXPECT_TRUE(misplaced[1].starts_with("site.toml:4: there is no lecture `lecture_2`")) << misplaced[1];
  render_further({});
  EXPECT_TRUE(misplaced_counterparts(read_site(options_))
                  .front()
                  .starts_with("site.toml:1: nothing stands beside the lecture `a`; import its trace"));
}

TEST_F(Beside, SettingsOfAnotherKindAreRefused) {
  const auto refusal = [](const char* toml) -> std::string {
    try {
      parse_site_settings(toml, "site.toml");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_TRUE(refusal("beside = 3").starts_with("site.toml:1: `beside` is a number; write [beside.LECTURE]"));
  EXPECT_TRUE(refusal("[beside]\na = \"python\"").starts_with("site.toml:2: `beside.a` is a text; write"));
  EXPECT_EQ(refusal("[beside.a]\n\n\"A::f\" = 2"),
            "site.toml:3: `beside.a.A::f` is a number; write a text, in quotes");
}

}  // namespace
}  // namespace lectern
