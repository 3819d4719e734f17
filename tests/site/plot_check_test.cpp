#include "site/plot_check.h"

#include <ctime>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using Document = nlohmann::json;

/// The specification `text`, with data whose rows have a and b, where it brings none.
std::string with_data(const std::string& text) {
  Document spec = Document::parse(text);
  if (!spec.contains("data")) spec["data"] = {{"values", {{{"a", 1}, {"b", 2}}, {{"a", 3}, {"b", nullptr}}}}};
  return spec.dump();
}

class PlotCheckTest : public ::testing::Test {
 protected:
  /// All that is wrong, a line each.
  std::string problems(const std::string& spec) {
    std::string lines;
    for (const std::string& problem : check_.problems(spec)) lines += (lines.empty() ? "" : "\n") + problem;
    return lines;
  }
  std::string problems_with_data(const std::string& spec) { return problems(with_data(spec)); }

  PlotCheck check_{LECTERN_SITE_TEMPLATES};
};

TEST_F(PlotCheckTest, RightSpecificationsHaveNone) {
  for (
      const char* right : {
          R"({"mark":"bar","encoding":{"x":{"field":"a","type":"quantitative"}}})",
          R"({"$schema":"https://vega.github.io/schema/vega-lite/v6.json","mark":{"type":"line","point":true}})",
          R"({"layer":[{"mark":"line","encoding":{"y":{"field":"b","type":"quantitative","scale":{"type":"log"}}}},
               {"mark":"rule","encoding":{"y":{"datum":2}}}],"encoding":{"x":{"field":"a","type":"quantitative"}}})",
          R"({"hconcat":[{"mark":"bar"},{"vconcat":[{"mark":"line"},{"mark":"area"}]}]})",
          R"({"facet":{"row":{"field":"a"}},"spec":{"mark":"bar","encoding":{"x":{"field":"b"}}}})",
          R"({"repeat":["a","b"],"spec":{"mark":"bar","encoding":{"x":{"field":{"repeat":"repeat"}}}}})",
          R"({"mark":"bar","params":[{"name":"p","value":2,"bind":{"input":"range","min":0,"max":9}}]})",
          R"({"mark":"point","title":{"text":["two","lines"]},"width":{"step":20},"config":{"view":{"stroke":null}}})",
      })
    EXPECT_EQ(problems_with_data(right), "") << right;
}

TEST_F(PlotCheckTest, MisspeltWordsAreNamedWithThoseThatThereAre) {
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":{"x":{"field":"a","type":"quantitive"}}})"),
            "encoding.x.type: \"quantitive\" is not one of \"quantitative\", \"ordinal\", \"temporal\", "
            "\"nominal\"; did you mean \"quantitative\"?");
  const std::string mark = problems_with_data(R"({"mark":"barr"})");
  EXPECT_TRUE(mark.starts_with("mark: \"barr\" is not one of ")) << mark;
  EXPECT_NE(mark.find("\"boxplot\""), std::string::npos) << mark;
  EXPECT_NE(mark.find("\"line\""), std::string::npos) << mark;
  EXPECT_TRUE(mark.ends_with("; did you mean \"bar\"?")) << mark;
  const std::string unlike = problems_with_data(R"({"mark":"histogram"})");
  EXPECT_TRUE(unlike.ends_with("; write one of these")) << unlike;
  EXPECT_EQ(problems_with_data(R"({"mark":{"type":"lin"}})").substr(0, 28), "mark.type: \"lin\" is not one ");
  EXPECT_EQ(
      problems_with_data(
          R"({"hconcat":[{"mark":"bar"},{"layer":[{"mark":"line","encoding":{"y":{"field":"b","scale":{"type":"lgo"}}}}]}]})")
          .substr(0, 70),
      "hconcat[1].layer[0].encoding.y.scale.type: \"lgo\" is not one of \"linear");
}

TEST_F(PlotCheckTest, MisspeltPropertiesAreNamedWithTheNearestOne) {
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encodin":{"x":{"field":"a"}}})"),
            "Vega-Lite knows no \"encodin\" here; did you mean \"encoding\"?");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":{"colour":{"field":"a"}}})"),
            "encoding: Vega-Lite knows no \"colour\" here; did you mean \"color\"?");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":{"x":{"feild":"a"}}})"),
            "encoding.x: Vega-Lite knows no \"feild\" here; did you mean \"field\"?");
  EXPECT_EQ(problems_with_data(R"({"mark":{"typ":"bar"}})"),
            "mark: Vega-Lite knows no \"typ\" here; did you mean \"type\"?");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","sparkle":true})"),
            "Vega-Lite knows no \"sparkle\" here; remove it");
  EXPECT_EQ(problems(R"({"mark":"bar","data":{"valuess":[{"a":1}]}})"),
            "data: Vega-Lite knows no \"valuess\" here; did you mean \"values\"?");
}

TEST_F(PlotCheckTest, AllMistakesOfOneFormAreTold) {
  EXPECT_EQ(
      problems_with_data(R"({"mark":"bar","titel":"t","encoding":{"x":{"field":"a","type":"ordinl"}}})"),
      "encoding.x.type: \"ordinl\" is not one of \"quantitative\", \"ordinal\", \"temporal\", \"nominal\"; "
      "did you mean \"ordinal\"?\n"
      "Vega-Lite knows no \"titel\" here; did you mean \"title\"?");
}

TEST_F(PlotCheckTest, WhatIsMissing) {
  EXPECT_EQ(problems(R"({"mark":"bar"})"), "\"data\" is missing; add it");
  const std::string no_mark = problems_with_data(R"({"encoding":{"x":{"field":"a"}}})");
  EXPECT_EQ(no_mark, "one of \"mark\", \"layer\" is missing; add it");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","transform":[{"calculate":"datum.a"}]})"),
            "transform[0]: \"as\" is missing; add it");
}

TEST_F(PlotCheckTest, ValuesOfOtherTypes) {
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":{"x":{"field":3}}})"),
            "encoding.x.field: 3 cannot stand here; give a string or an object");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":{"x":"a"}})"),
            "encoding.x: \"a\" cannot stand here; give an object");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","encoding":[]})"),
            "encoding: an array cannot stand here; give an object");
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","transform":{"filter":"datum.a"}})"),
            "transform: an object cannot stand here; give an array");
}

TEST_F(PlotCheckTest, UnknownTransforms) {
  EXPECT_EQ(problems_with_data(R"({"mark":"bar","transform":[{"calclate":"1","as":"z"}]})"),
            "transform[0]: Vega-Lite knows no \"calclate\" here; did you mean \"calculate\"?");
  const std::string unlike = problems_with_data(R"({"mark":"bar","transform":[{"smooth":"a"}]})");
  EXPECT_TRUE(unlike.starts_with("transform[0]: one of ")) << unlike;
  EXPECT_NE(unlike.find("\"filter\""), std::string::npos) << unlike;
}

TEST_F(PlotCheckTest, FilesAreNotLoaded) {
  EXPECT_EQ(problems(R"({"mark":"bar","data":{"url":"a.json"}})"),
            "data.url: pages do not load data; give them as \"values\"");
  EXPECT_EQ(problems_with_data(R"({"hconcat":[{"mark":"bar"},{"mark":"bar","data":{"url":"a.json"}}]})"),
            "hconcat[1].data.url: pages do not load data; give them as \"values\"");
  for (const char* mark : {R"("image")", R"({"type":"image","url":"a.png"})"}) {
    EXPECT_EQ(problems_with_data(std::string(R"({"mark":)") + mark + "}"),
              "mark: a plot shows no images from files; give them to image()");
  }
  EXPECT_EQ(problems(R"({"mark":"bar","data":{"values":[{"data":{"url":"a"}}]}})"), "");
}

TEST_F(PlotCheckTest, BoundsAreTheValidatorsOwn) {
  const std::string said = problems_with_data(R"({"mark":{"type":"bar","opacity":7}})");
  EXPECT_TRUE(said.starts_with("mark.opacity: ")) << said;
  EXPECT_TRUE(said.ends_with("; correct it")) << said;
}

TEST_F(PlotCheckTest, WhatIsNoSpecificationOfVegaLite) {
  for (const char* none : {"[1]", "null", "\"bar\"", "3"})
    EXPECT_TRUE(problems(none).starts_with("the specification is not an object")) << none;
  EXPECT_TRUE(problems(R"({"$schema":"https://vega.github.io/schema/vega/v5.json","marks":[]})")
                  .starts_with("the specification is one of Vega, not of Vega-Lite"));
}

/// Of the processor, which has other things to do. What doubles with each level never ends.
TEST_F(PlotCheckTest, HostileSpecificationsAreCheckedInNoTime) {
  const std::clock_t start = std::clock();
  for (const int depth : {60, 99, 5000}) {
    for (const char* views : {"layer", "hconcat", "spec"}) {
      const bool list = std::string(views) != "spec";
      std::string spec = R"({"mark":"nothing"})";
      for (int i = 0; i < depth; ++i)
        spec = std::string("{\"") + views + "\":" + (list ? "[" : "") + spec + (list ? "]" : "") + "}";
      EXPECT_NE(problems(spec), "") << views;
      if (depth < 1000) {  // the library's writing of deeper ones takes more stack than a sanitizer leaves
        EXPECT_NE(problems_with_data(spec), "") << views;
      }
    }
  }
  const std::string said =
      problems_with_data(R"({"mark":"\u202e\u001b[31m</script>)" + std::string(100'000, 'x') + R"("})");
  EXPECT_LT(said.size(), 1000u);
  EXPECT_EQ(said.find('\x1b'), std::string::npos);
  EXPECT_EQ(said.find("\u202e"), std::string::npos);
  std::string rows;
  for (int i = 0; i < 100'000; ++i) rows += R"({"a":1,"b":null},)";
  EXPECT_EQ(
      problems(R"({"mark":"bar","data":{"values":[)" + rows + R"({"a":2}]},"encoding":{"x":{"field":"b"}}})"),
      "");
  EXPECT_LT(std::clock() - start, 30 * CLOCKS_PER_SEC);
}

TEST(PlotCheck, TheSchemaIsReadWhenAPlotComes) {
  const test::TemporaryFolder empty;
  PlotCheck check(empty / "site");
  EXPECT_THROW(check.problems("{}"), Error);
}

}  // namespace
}  // namespace lectern
