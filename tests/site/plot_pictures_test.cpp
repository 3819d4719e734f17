#include "site/plot_pictures.h"

#include <gtest/gtest.h>

#include "has.h"
#include "site/inert_html.h"
#include "site/no_programs.h"
#include "site/plots.h"

namespace lectern {
namespace {

using test::has;

std::string bars(const std::string& more = "", const std::string& mark = "\"bar\"") {
  return R"({"data":{"values":[{"a":"x","b":1},{"a":"y","b":3},{"a":"z","b":null}]},"mark":)" + mark +
         R"(,"encoding":{"x":{"field":"a"},"y":{"field":"b","type":"quantitative"}})" + more + "}";
}

class PlotPicturesTest : public ::testing::Test {
 protected:
  static std::string place(const std::string& spec, int width = 0) {
    return plot_place({spec}, "name", width) + "\n";
  }
  static PlacedPlot plot(const std::string& spec, int width = 0) {
    return {plot_key({spec}, width), spec, width, plot_height({spec}), 0};
  }
  /// A page with this plot.
  std::string page(const std::string& spec, const std::string& before = "") {
    return with_plot_pictures(place(spec), {plot(spec)}, before, LECTERN_SITE_TEMPLATES, warn_);
  }

  std::vector<std::string> warnings_;
  const std::function<void(const PlacedPlot&, const std::string&)> warn_ =
      [this](const PlacedPlot& /*plot*/, const std::string& what) { warnings_.push_back(what); };
};

TEST_F(PlotPicturesTest, AWideAndANarrowOneInThePageColours) {
  const std::string made = page(bars());
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
  EXPECT_TRUE(has(made, "\"><svg class=\"still wide\" aria-hidden=\"true\"")) << made.substr(0, 400);
  EXPECT_TRUE(has(made, " width=\"700\" height=\"320\""));
  EXPECT_TRUE(has(made, "<svg class=\"still narrow\""));
  EXPECT_TRUE(has(made, " width=\"340\" height=\"320\""));
  EXPECT_TRUE(has(made, "var(--c1)"));
  EXPECT_TRUE(has(made, ">x</text>"));
  EXPECT_FALSE(has(made, "<table"));
}

TEST_F(PlotPicturesTest, NoWiderThanAskedFor) {
  const std::string spec = bars();
  const std::string made =
      with_plot_pictures(place(spec, 400), {plot(spec, 400)}, "", LECTERN_SITE_TEMPLATES, warn_);
  EXPECT_TRUE(has(made, " width=\"400\" height=\"320\""));
}

TEST_F(PlotPicturesTest, SeveralViewsKeepTheirSize) {
  const std::string views =
      R"({"data":{"values":[{"a":1}]},"hconcat":[{"mark":"bar","width":500,"height":400},)"
      R"({"mark":"bar","width":500}]})";
  const std::string made = page(views);
  EXPECT_TRUE(made.starts_with("<div class=\"chart own\"")) << made.substr(0, 100);
  EXPECT_TRUE(has(made, "<svg class=\"still own\""));
  EXPECT_FALSE(has(made, "narrow"));
}

TEST_F(PlotPicturesTest, APictureOfBeforeIsNotDrawnAgain) {
  const std::string first = page(bars());
  const test::NoPrograms none;
  EXPECT_EQ(page(bars(), "<p>before</p>" + first + "<p>after</p>"), first);
  EXPECT_TRUE(warnings_.empty());
  page(bars(R"(,"title":"another")"), first);
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(PlotPicturesTest, WithoutNodeTheDataAreATable) {
  const test::NoPrograms none;
  const std::string spec = bars(), other = bars(R"(,"title":"t")");
  const std::string made = with_plot_pictures(place(spec) + place(other), {plot(spec), plot(other)}, "",
                                              LECTERN_SITE_TEMPLATES, warn_);
  ASSERT_EQ(warnings_.size(), 1u);  // not one for each plot
  EXPECT_EQ(warnings_[0], "there is no Node.js, which draws it; install nodejs");
  EXPECT_FALSE(has(made, "<svg"));
  EXPECT_TRUE(has(made, "\"></div><div class=\"plot-data scroll\""));
  EXPECT_TRUE(has(made, "<td>x</td><td>1</td>"));
}

TEST_F(PlotPicturesTest, OnlyWhatIsOnThePageIsDrawn) {
  const test::NoPrograms none;
  EXPECT_EQ(with_plot_pictures("<p>", {plot(bars())}, "", LECTERN_SITE_TEMPLATES, warn_), "<p>");
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(PlotPicturesTest, APlotThatStandsTwiceHasNamesOfItsOwn) {
  const std::string clipped = bars("", R"({"type":"bar","clip":true})");
  const std::string made =
      with_plot_pictures(place(clipped) + place(clipped), {plot(clipped)}, "", LECTERN_SITE_TEMPLATES, warn_);
  const std::string key = plot_key({clipped}, 0);
  for (const std::string name : {"-wide-", "-narrow-", "-2-wide-", "-2-narrow-"}) {
    const std::string id = "plot-" + key + name + "clip";
    EXPECT_TRUE(has(made, " id=\"" + id)) << name;
    EXPECT_TRUE(has(made, "url(#" + id)) << name;
  }
}

TEST_F(PlotPicturesTest, TextsThatMeanHarmAreText) {
  const std::string made =
      page(bars(R"json(,"title":"</svg></div><script>alert(1)</script> \u202e\" onload=\"x\"")json",
                R"json({"type":"bar","href":"javascript:alert(1)","tooltip":true,"blend":"multiply"})json"));
  EXPECT_TRUE(warnings_.empty()) << warnings_[0];
  EXPECT_TRUE(has(made, "&lt;script&gt;alert(1)&lt;/script&gt;")) << made;
  for (const char* part : {"<script", "javascript", "<a", "blend", "\u202e"})
    EXPECT_FALSE(has(made, part)) << part;
  for (const std::string& part : test::active_parts(made)) ADD_FAILURE() << part;
}

TEST_F(PlotPicturesTest, WhatShouldNotBeDrawnIsNot) {
  const std::vector<std::pair<std::string, std::string>> refused = {
      {R"({"data":{"url":"file:///etc/passwd"},"mark":"bar"})", "its data is in another file"},
      {bars("", R"({"type":"image","url":"https://intruder.example/"})"), "it shows images from files"},
      {bars("", R"json({"type":"bar","fill":"url(https://intruder.example/)"})json"),
       "it names a file with url(…)"},
      {bars(
           R"json(,"transform":[{"calculate":"datum['constructor']['constructor']('return 1')()","as":"a"}])json"),
       "Illegal callee"},
      {bars(R"json(,"transform":[{"calculate":"length(sequence(1e12))","as":"a"}])json"),
       "it makes a sequence of more than"},
      {bars(R"json(,"transform":[{"calculate":"datum.a, 1","as":"a"}])json"),
       "its expression \"datum.a, 1\" cannot be read: there are no commas"},
      {bars(R"json(,"transform":[{"filter":"datum.a >"}])json"),
       "its expression \"datum.a >\" cannot be read: it ends too early"},
  };
  for (const auto& [spec, reason] : refused) {
    warnings_.clear();
    const std::string made = page(spec);
    ASSERT_EQ(warnings_.size(), 1u) << spec;
    EXPECT_TRUE(warnings_[0].find(reason) != std::string::npos) << warnings_[0];
    EXPECT_FALSE(has(made, "<svg")) << spec;
  }
}

TEST_F(PlotPicturesTest, ADrawingThatDoesNotEndHoldsUpNothingElse) {
  const std::string endless = bars(
      R"json(,"transform":[{"filter":"test(regexp('^(a+)+$'), 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!')"}])json");
  const std::string heavy = [] {
    std::string values;
    for (int i = 0; i < 100'000; ++i)
      values += (i > 0 ? ",{\"a\":" : "{\"a\":") + std::to_string(i % 977) + "}";
    return R"({"data":{"values":[)" + values +
           R"(]},"mark":"line","encoding":{"y":{"field":"a","type":"quantitative"}}})";
  }();
  const std::string body = place(endless) + place(bars()) + place(heavy);
  const std::string made =
      with_plot_pictures(body, {plot(endless), plot(bars()), plot(heavy)}, "", LECTERN_SITE_TEMPLATES, warn_);
  ASSERT_GE(warnings_.size(), 1u);  // two, unless the large one takes too long as well
  EXPECT_EQ(warnings_[0], "it takes longer than 10 s");
  EXPECT_TRUE(has(made, "<svg class=\"still wide\""));
  EXPECT_TRUE(has(made, "The first 50 of 100,000 rows."));
}

}  // namespace
}  // namespace lectern
