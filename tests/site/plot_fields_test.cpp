#include "site/plot_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lectern {
namespace {

using Document = nlohmann::json;

std::string problems(const Document& spec) {
  std::string lines;
  for (const std::string& problem : field_problems(spec)) lines += (lines.empty() ? "" : "\n") + problem;
  return lines;
}

/// The specification `text` with data that have step and loss.
std::string problems_with_data(const std::string& text) {
  Document spec = Document::parse(text);
  spec["data"] = {{"values", {{{"step", 0}, {"loss", 2.5}}, {{"step", 1}, {"loss", nullptr}}}}};
  return problems(spec);
}

TEST(PlotFields, AFieldThatNoDatumHasIsNamedWithThoseThatThereAre) {
  EXPECT_EQ(
      problems_with_data(R"({"encoding":{"x":{"field":"stpe"},"y":{"field":"loss"}}})"),
      "encoding.x.field: \"stpe\" is not in the data, which has \"loss\", \"step\"; did you mean \"step\"?");
  EXPECT_EQ(
      problems_with_data(R"({"encoding":{"x":{"field":"epoch"}}})"),
      "encoding.x.field: \"epoch\" is not in the data, which has \"loss\", \"step\"; name one of its fields");
}

TEST(PlotFields, AllChannelsAreLookedAt) {
  const std::string spec = R"({"encoding":{"tooltip":[{"field":"step"},{"field":"p"}],)"
                           R"("color":{"condition":{"test":"true","field":"q"},"value":"red"},)"
                           R"("x":{"field":"step","sort":{"field":"r"}}}})";
  const std::string said = problems_with_data(spec);
  for (const char* place : {"encoding.tooltip[1].field: \"p\"", "encoding.color.condition.field: \"q\"",
                            "encoding.x.sort.field: \"r\""})
    EXPECT_NE(said.find(place), std::string::npos) << said;
}

TEST(PlotFields, AnyDatumMayHaveAField) {
  Document values = Document::array();
  for (int i = 0; i < 1000; ++i) values.push_back({{"a", i}});
  values.push_back({{"b", 1}});
  const Document right = {{"data", {{"values", values}}}, {"encoding", {{"x", {{"field", "b"}}}}}};
  EXPECT_EQ(problems(right), "");
}

TEST(PlotFields, PathsInsideADatum) {
  const Document data = {{"values", {{{"a", {{"b", 1}}}, {"c", {1, 2}}, {"d.e", 1}, {"f g", 1}}}}};
  for (const char* path : {"a.b", "a['b']", "a[\"b\"]", "c[0]", "d\\.e", "d.e", "f g", "*"}) {
    EXPECT_EQ(problems({{"data", data}, {"encoding", {{"x", {{"field", path}}}}}}), "") << path;
  }
  EXPECT_NE(problems({{"data", data}, {"encoding", {{"x", {{"field", "b.a"}}}}}}), "");
}

TEST(PlotFields, TransformsMakeFields) {
  const auto made = [](const std::string& transform, const std::string& field) {
    return problems_with_data("{\"transform\":[" + transform + "],\"encoding\":{\"x\":{\"field\":\"" + field +
                              "\"}}}");
  };
  const std::vector<std::pair<const char*, std::vector<const char*>>> right = {
      {R"({"calculate":"datum.loss * 2","as":"z"})", {"z", "step"}},
      {R"({"fold":["step","loss"]})", {"key", "value", "step"}},
      {R"({"fold":["step","loss"],"as":["k","v"]})", {"k", "v"}},
      {R"({"aggregate":[{"op":"mean","field":"loss","as":"m"}],"groupby":["step"]})", {"m", "step"}},
      {R"({"joinaggregate":[{"op":"mean","field":"loss","as":"m"}]})", {"m", "loss"}},
      {R"({"window":[{"op":"rank","as":"r"}]})", {"r", "loss"}},
      {R"({"bin":true,"field":"loss","as":"b"})", {"b", "b_end"}},
      {R"({"bin":true,"field":"loss","as":["b","e"]})", {"b", "e"}},
      {R"({"timeUnit":"year","field":"step","as":"y"})", {"y", "y_end"}},
      {R"({"stack":"loss","groupby":["step"],"as":["from","to"]})", {"from", "to", "loss"}},
      {R"({"density":"loss"})", {"value", "density"}},
      {R"({"density":"loss","groupby":["step"],"as":["v","d"]})", {"v", "d", "step"}},
      {R"({"quantile":"loss"})", {"prob", "value"}},
      {R"({"loess":"loss","on":"step"})", {"loss", "step"}},
      {R"({"regression":"loss","on":"step","as":["p","q"]})", {"p", "q"}},
      {R"({"regression":"loss","on":"step","params":true})", {"coef", "rSquared"}},
      {R"({"pivot":"step","value":"loss"})", {"0", "1"}},
      {R"({"flatten":["loss"],"as":["one"]})", {"one", "loss"}},
      {R"({"lookup":"step","from":{"data":{"values":[]},"key":"k","fields":["w"]}})", {"w", "step"}},
      {R"({"lookup":"step","from":{"data":{"values":[]},"key":"k","fields":["w"]},"as":["u"]})", {"u"}},
      {R"({"lookup":"step","from":{"param":"brush","key":"k"}})", {"anything"}},
      {R"({"filter":"datum.loss > 1"},{"sample":10},{"impute":"loss","key":"step"})", {"loss"}},
      {R"({"oracle":true})", {"anything"}},
      {R"({"calculate":"1","as":"z"},{"aggregate":[{"op":"max","field":"z","as":"most"}]})", {"most"}},
  };
  for (const auto& [transform, fields] : right) {
    for (const char* field : fields) EXPECT_EQ(made(transform, field), "") << transform << ' ' << field;
  }
  EXPECT_NE(made(R"({"calculate":"1","as":"z"})", "zz"), "");
  // What a group leaves out is gone.
  EXPECT_NE(made(R"({"aggregate":[{"op":"mean","field":"loss","as":"m"}]})", "loss"), "");
}

TEST(PlotFields, ViewsInsideViews) {
  EXPECT_EQ(problems_with_data(
                R"({"encoding":{"x":{"field":"step"},"y":{"field":"smooth"}},"layer":[{"mark":"point"},
                    {"mark":"line","transform":[{"loess":"loss","on":"step","as":["step","smooth"]}]}]})"),
            "");
  EXPECT_EQ(problems_with_data(
                R"({"layer":[{"encoding":{"y":{"field":"loss"}}},{"encoding":{"y":{"field":"los"}}}]})")
                .substr(0, 36),
            "layer[1].encoding.y.field: \"los\" is ");
  EXPECT_EQ(
      problems_with_data(R"({"hconcat":[{"vconcat":[{"encoding":{"y":{"field":"los"}}}]}]})").substr(0, 39),
      "hconcat[0].vconcat[0].encoding.y.field:");
  // A view with data of its own.
  EXPECT_EQ(
      problems_with_data(R"({"layer":[{"data":{"values":[{"at":1}]},"encoding":{"y":{"field":"at"}}}]})"),
      "");
  EXPECT_EQ(
      problems_with_data(R"({"facet":{"row":{"field":"stp"}},"spec":{"encoding":{"y":{"field":"loss"}}}})")
          .substr(0, 16),
      "facet.row.field:");
  EXPECT_EQ(problems_with_data(R"({"facet":{"field":"step"},"spec":{"encoding":{"y":{"field":"los"}}}})")
                .substr(0, 22),
            "spec.encoding.y.field:");
  EXPECT_EQ(problems_with_data(
                R"({"repeat":["step","los"],"spec":{"encoding":{"y":{"field":{"repeat":"repeat"}}}}})")
                .substr(0, 10),
            "repeat[1]:");
  EXPECT_EQ(problems_with_data(R"({"repeat":{"row":["step"],"layer":["loss"]},"spec":{}})"), "");
}

TEST(PlotFields, WhatCannotBeKnownIsNotLookedAt) {
  const Document encoding = {{"x", {{"field", "anything"}}}};
  for (const char* data :
       {R"({"url":"a.json"})", R"({"values":"a,b\n1,2","format":{"type":"csv"}})", R"({"values":[]})",
        R"({"values":{"rows":[{"a":1}]},"format":{"property":"rows"}})", R"({"values":[[1,2]]})",
        R"({"name":"later"})", R"({"graticule":true})", "null", "[]", "3"})
    EXPECT_EQ(problems({{"data", Document::parse(data)}, {"encoding", encoding}}), "") << data;
  EXPECT_EQ(problems({{"encoding", encoding}}), "");
}

TEST(PlotFields, OtherDataWithKnownFields) {
  const auto field = [](const char* name) { return Document{{"x", {{"field", name}}}}; };
  EXPECT_EQ(problems({{"data", {{"values", {1, 2}}}}, {"encoding", field("data")}}), "");
  EXPECT_NE(problems({{"data", {{"values", {1, 2}}}}, {"encoding", field("x")}}), "");
  EXPECT_EQ(problems({{"data", {{"sequence", {{"start", 0}, {"stop", 9}, {"as", "t"}}}}},
                      {"encoding", field("t")}}),
            "");
  const Document named = {{"datasets", {{"runs", {{{"a", 1}}}}}}, {"data", {{"name", "runs"}}}};
  Document right = named, wrong = named;
  right["encoding"] = field("a");
  wrong["encoding"] = field("b");
  EXPECT_EQ(problems(right), "");
  EXPECT_NE(problems(wrong), "");
}

}  // namespace
}  // namespace lectern
