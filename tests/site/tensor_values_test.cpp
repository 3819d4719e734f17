#include "site/tensor_values.h"

#include <gtest/gtest.h>

#include "base/html.h"
#include "has.h"
#include "site/inert_html.h"
#include "site/values.h"
#include "trace/decode.h"
#include "trace/tensor_text.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

using test::count;
using test::has;

const char* const kMatrix =
    R"({"type":"Tensor","dtype":"float32","shape":[2,3],"strides":[3,1],"device":"cpu",
    "storage":1,"storage_bytes":24,"data":[1.0,-7.5,3.0,4.0,5.0,6.0]})";

Json with(const char* name, Json value) {
  Json json = Json::parse(kMatrix);
  json[name] = std::move(value);
  return json;
}

/// A vector of numbers given as JSON.
Json vector_of(const char* numbers, const char* dtype = "float32") {
  const Json data = Json::parse(numbers);
  return {{"type", "Tensor"}, {"dtype", dtype}, {"shape", {data.size()}}, {"data", data}};
}

ShownValue drawn(const Json& value) {
  return show_value(value_from_json(value));
}
std::string html_of(const Json& value) {
  return drawn(value).html;
}
std::string text_of(const Json& value) {
  return drawn(value).text;
}

std::string cells(const Json& tensor) {
  const std::string html = html_of(tensor);
  std::string text;
  for (std::size_t at = html.find("<td"); at != std::string::npos; at = html.find("<td", at + 1)) {
    const std::size_t begin = html.find('>', at) + 1;
    if (!text.empty()) text += ' ';
    text += html.substr(begin, html.find("</td>", begin) - begin);
  }
  return text;
}

TEST(TensorValues, ShapeComesBeforeContents) {
  const ShownValue value = drawn(Json::parse(kMatrix));
  EXPECT_EQ(value.type, "float32 [2, 3]");
  EXPECT_EQ(value.text, "float32 [2, 3]");
  EXPECT_EQ(count(value.html, "<tr>"), 2U);
  EXPECT_EQ(count(value.html, "<td"), 6U);
  EXPECT_EQ(drawn(with("device", "cuda:1")).type, "float32 [2, 3] cuda:1");
}

TEST(TensorValues, NestedOnesSayTheirType) {
  const Json list{{"type", "std::vector<Tensor>"}, {"items", {Json::parse(kMatrix)}}};
  EXPECT_TRUE(has(html_of(list), "<p class=\"ty\">float32 [2, 3]</p>"));
  EXPECT_FALSE(has(html_of(Json::parse(kMatrix)), "class=\"ty\""));
}

TEST(TensorValues, ShortVectorsAndSingleNumbersStandOnChips) {
  EXPECT_EQ(text_of(vector_of("[1.5,2.0]")), "float32 [2]: 1.5, 2.0");
  EXPECT_EQ(text_of(vector_of("[1,2,3,4,5,6,7]", "int64")), "int64 [7]");
  const Json scalar =
      Json::parse(R"({"type":"Tensor","dtype":"float32","shape":[],"data":[3.5],"storage":2})");
  EXPECT_EQ(drawn(scalar).text, "3.5");
  EXPECT_EQ(drawn(scalar).type, "float32 []");
  EXPECT_FALSE(has(drawn(scalar).html, "<table"));
}

TEST(TensorValues, RoundedElementsSaySo) {
  const ShownValue rounded = drawn(vector_of("[1.23456,2.0]"));
  EXPECT_EQ(rounded.text, "float32 [2]: \u2248 1.23, 2.00");
  EXPECT_TRUE(has(rounded.html, ">\u2248 rounded</span>")) << rounded.html;
  EXPECT_FALSE(has(html_of(vector_of("[1.5,2.0]")), "\u2248"));
  const ShownValue alone =
      drawn(Json::parse(R"({"type":"Tensor","dtype":"float64","shape":[],"data":[123456.789]})"));
  EXPECT_EQ(alone.text, "123456.789");
  EXPECT_TRUE(has(alone.html, "<span class=\"num\">123456.789</span>")) << alone.html;
}

TEST(TensorValues, NumbersStandUnderEachOther) {
  EXPECT_EQ(cells(vector_of("[1.0,0.5,-0.25]")), "1.00 0.50 \u22120.25");
  EXPECT_EQ(cells(vector_of("[1.23456,0.000001,0.0,-2.5]")), "1.23 1e\u22126 0.00 \u22122.50");
  EXPECT_EQ(cells(vector_of("[123.45678,1.0]")), "123 1");
  EXPECT_EQ(cells(vector_of("[1e-9,-2.5e20]")), "1.00e\u22129 \u22122.50e20");
  EXPECT_EQ(cells(vector_of("[1,-2,12345678]", "int64")), "1 \u22122 12,345,678");
  EXPECT_EQ(cells(vector_of("[true,false]", "bool")), "true false");
  EXPECT_EQ(cells(vector_of(R"([{"float":"nan"},{"float":"-inf"},1.0])")), "NaN \u2212\u221E 1");
  EXPECT_TRUE(has(html_of(vector_of("[1.23456,2.0]")), "title=\"1.23456\">1.23</td>"));
}

TEST(TensorValues, ShadesDivergeAroundZero) {
  const std::string html = html_of(vector_of("[-2.0,-0.5,0.0,1.0,2.0]"));
  for (const char* part :
       {"<td class=\"n7\">", "<td class=\"n2\">", "<td>0.0", "<td class=\"p4\">", "<td class=\"p7\">"}) {
    EXPECT_TRUE(has(html, part)) << part << " in " << html;
  }
  EXPECT_FALSE(has(html_of(vector_of("[3.0,3.0,3.0]")), "class=\"p"))
      << "where all are equal there is nothing to see";
}

TEST(TensorValues, FiguresOfManyNumbers) {
  const std::string html =
      html_of(vector_of(R"([1.0,2.0,3.0,4.0,5.0,6.0,7.0,{"float":"nan"},{"float":"inf"}])"));
  for (const char* part : {"min <b>1</b>", "max <b>7</b>", "mean <b>4</b>", "std <b>2.16</b>", ">1 NaN<",
                           ">1 infinite<", "class=\"legend\""}) {
    EXPECT_TRUE(has(html, part)) << part << " in " << html;
  }
  EXPECT_FALSE(has(html_of(vector_of("[1.0,2.0]")), "figures"));
}

TEST(TensorValues, DimensionsHaveNames) {
  EXPECT_EQ(drawn(with("names", {"batch", ""})).type, "float32 [batch 2, 3]");
  EXPECT_FALSE(has(html_of(with("names", {"batch"})), "<table"));
}

TEST(TensorValues, ViewsSayWhichBytesTheySpan) {
  const auto span_of = [](std::int64_t offset, std::vector<std::int64_t> shape,
                          std::vector<std::int64_t> strides) {
    Json view = with("offset", offset);
    view["shape"] = shape;
    view["strides"] = strides;
    view.erase("data");
    return html_of(view);
  };
  EXPECT_TRUE(has(span_of(1, {2}, {3}), R"(data-bytes="24" data-from="4" data-to="20")"));
  EXPECT_TRUE(has(span_of(2, {}, {}), R"(data-from="8" data-to="12")"));
  EXPECT_TRUE(has(span_of(0, {5, 6}, {0, 1}), R"(data-from="0" data-to="24")"));
  EXPECT_FALSE(has(span_of(1, {6}, {1}), "data-from"));
  EXPECT_FALSE(has(span_of(0, {std::int64_t{1} << 52, 1 << 20}, {std::int64_t{1} << 52, 1}), "data-from"));
}

TEST(TensorValues, HistogramsOfManyElements) {
  std::string elements = "[0";
  for (int i = 1; i < 48; ++i) elements += "," + std::to_string(i / 40 * 24);
  EXPECT_TRUE(has(html_of(vector_of((elements + "]").c_str(), "int64")),
                  R"(aria-label="Histogram from 0 to 24; most elements, 40, from 0 to 1"><path d="M0 28v-28)"
                  R"(h3v28zM92 28v-6h3v6z"/></svg>)"));
  EXPECT_FALSE(has(html_of(vector_of("[1.0,2.0]")), "histogram"));
  std::string equal = "[1";
  for (int i = 1; i < 48; ++i) equal += ",1";
  EXPECT_FALSE(has(html_of(vector_of((equal + "]").c_str())), "histogram"));
}

TEST(TensorValues, HistogramsOfSummariesAreTheTraces) {
  Json summary = Json::parse(R"({"type":"Tensor","dtype":"float32","shape":[100],"indices":[[0,99]],
      "data":[1.0,2.0],"stats":{"min":0.0,"max":4.0,"mean":3.0},"histogram":[10,0,30,60]})");
  EXPECT_TRUE(has(html_of(summary), R"(<path d="M0 28v-5h3v5zM8 28v-14h3v14zM12 28v-28h3v28z"/>)"));
  for (const Json& torn : {Json::array({-1}), Json::array({0, 0}), Json(std::vector<int>(1000, 1))}) {
    summary["histogram"] = torn;
    EXPECT_FALSE(has(html_of(summary), "class=\"histogram\"")) << torn;
  }
}

TEST(TensorValues, SummariesSayWhereTheirNumbersAre) {
  const Json summary = Json::parse(R"({"type":"Tensor","dtype":"float32","shape":[100,50],"strides":[50,1],
      "indices":[[0,1,98,99],[0,49]],"data":[1.0,2.0,3.0,4.0,5.0,6.0,7.0,8.0],
      "stats":{"min":-3.5,"max":8.0,"mean":0.25,"std":1.5,"inf":2}})");
  const std::string html = html_of(summary);
  EXPECT_EQ(count(html, "<th>49</th>"), 1U);
  EXPECT_EQ(count(html, "<th>98</th>"), 1U);
  EXPECT_EQ(count(html, "\u22EF</td>"), 4U) << html;
  EXPECT_EQ(count(html, "\u22EE</td>"), 1U) << html;
  EXPECT_TRUE(has(html, "min <b>\u22123.50</b>")) << html;
  EXPECT_TRUE(has(html, "2 infinite"));
}

TEST(TensorValues, LongVectorsWrap) {
  const std::string html = html_of(vector_of("[0,1,2,3,4,5,6,7,8,9,10,11]", "int64"));
  EXPECT_EQ(count(html, "<tr>"), 2U);
  EXPECT_TRUE(has(html, "<th>8</th>"));
}

TEST(TensorValues, HigherRanksAreLabelledBlocks) {
  Json cube = with("shape", {2, 1, 3});
  cube["strides"] = {3, 3, 1};
  const std::string html = html_of(cube);
  EXPECT_EQ(count(html, "<table"), 2U);
  EXPECT_TRUE(has(html, "<p>[1, :, :]</p>"));
}

TEST(TensorValues, OfVeryManyNumbersTheEdgesAreShown) {
  Json many = with("shape", {100, 100});
  many["strides"] = {100, 1};
  many["data"] = Json::array();
  for (int i = 0; i < 10'000; ++i) many["data"].push_back(i);
  const std::string html = html_of(many);
  EXPECT_EQ(count(html, "<td") - count(html, "class=\"gap\""), 36U);
  EXPECT_TRUE(has(html, ">9999</td>"));
  EXPECT_TRUE(has(html, "max <b>9999</b>"));
}

TEST(TensorValues, StoragesAreMarked) {
  const std::string html = html_of(Json::parse(kMatrix));
  EXPECT_TRUE(has(html,
                  "<span class=\"storage s1\" data-storage=\"1\" data-bytes=\"24\" data-from=\"0\" "
                  "data-to=\"24\">storage A</span>"))
      << html;
  EXPECT_FALSE(has(html, "contiguous"));
  const std::string view = html_of(with("strides", {1, 2}));
  EXPECT_TRUE(has(view, "not contiguous"));
  EXPECT_TRUE(has(html_of(with("requires_grad", true)), "requires grad"));
  EXPECT_EQ(storage_letter(26), "Z");
  EXPECT_EQ(storage_letter(27), "AA");
  EXPECT_EQ(storage_letter(100'000), "100000");
  const Json storage{{"type", "Storage"}, {"device", "cpu"}, {"storage", 3}, {"storage_bytes", 24}};
  EXPECT_EQ(text_of(storage), "storage C 24 bytes cpu");
}

TEST(TensorValues, StridesAreDrawnOverTheStorage) {
  Json column = with("shape", {2});
  column["strides"] = {3};
  column["offset"] = 1;
  column["data"] = {-7.5, 5.0};
  const std::string html = html_of(column);
  EXPECT_TRUE(has(html, "strides [3] over 24 bytes of storage")) << html;
  EXPECT_TRUE(has(html, "[i] is element 1 + 3\u00B7i"));
  EXPECT_EQ(count(html, "<li"), 6U);
  EXPECT_EQ(count(html, "class=\"unused\""), 4U);
  Json repeated = with("strides", {0, 1});
  EXPECT_TRUE(has(html_of(repeated), "<li>0,0<i> \u00D72</i></li>")) << html_of(repeated);
  EXPECT_FALSE(has(html_of(with("storage_bytes", 4'000'000)), "<ol")) << "a large storage is not drawn";
  EXPECT_FALSE(has(html_of(with("offset", 4)), "<ol")) << "a view beyond its storage is not drawn";
}

TEST(TensorValues, EmptyOnes) {
  Json empty = with("shape", {0, 3});
  empty["data"] = Json::array();
  EXPECT_TRUE(has(html_of(empty), "no elements"));
  EXPECT_EQ(text_of(empty), "float32 [0, 3]");
  Json layout = Json::parse(kMatrix);
  layout.erase("data");
  EXPECT_EQ(text_of(layout), "float32 [2, 3]");
  EXPECT_FALSE(has(html_of(layout), "<table"));
}

TEST(TensorValues, WhatDoesNotFitTogetherIsNotShown) {
  for (const Json& torn :
       {with("shape", {2, 2}), with("shape", {-2, 3}), with("shape", {1e300}), with("shape", {"2", 3}),
        with("shape", "x"), with("shape", Json::array({std::uint64_t{1} << 63, 3})),
        with("shape", Json(std::vector<int>(99, 1))), with("strides", {3}), with("strides", {-3, 1}),
        with("data", {"1", 2}), with("data", {{"a", 1}}), with("data", Json::array({Json::array({1})})),
        with("indices", {{0, 1}}), with("indices", {{0, 0}, {0, 1, 2}}), with("indices", {{0, 7}, {0, 1, 2}}),
        with("indices", {{0, 1}, {2, 1, 0}})}) {
    EXPECT_FALSE(has(html_of(torn), "<table")) << torn;
  }
}

TEST(TensorValues, StrangeNumbersAreInert) {
  for (const Json& strange :
       {with("offset", std::uint64_t{1} << 63), with("indices", {"0", "1"}), with("indices", 1),
        with("storage", -1), with("storage", std::uint64_t(-1)), with("storage_bytes", "many"),
        with("stats", {{"min", "x"}}), with("stats", {{"min", 1}, {"max", -1}, {"mean", 1e308}, {"nan", -3}}),
        with("strides", {std::int64_t{1} << 52, 1}), with("requires_grad", "yes"), with("device", 5),
        with("dtype", "complex64"), with("dtype", 7), with("data", {1e308, -1e308, 5e-324, 0.0, 1.0, 2.0}),
        with("data", {std::uint64_t(-1), std::numeric_limits<std::int64_t>::min(), 0, 1, 2, 3}),
        with("data", {true, 1, 1.5, Json{{"float", "nan"}}, false, 2})}) {
    const std::string html = html_of(strange);
    EXPECT_TRUE(test::active_parts(html).empty()) << html;
    EXPECT_FALSE(text_of(strange).empty());
  }
}

TEST(TensorValues, HostileTextIsInert) {
  const std::string evil = "</span><script>alert(1)</script><img src=x onerror=alert(1)>\"'";
  for (const char* name : {"dtype", "device", "shape", "strides", "offset", "storage", "storage_bytes",
                           "data", "indices", "stats", "histogram", "names", "requires_grad", "type"}) {
    for (const Json& member : {Json(evil), Json::array({evil}), Json{{evil, evil}}}) {
      const std::string html = html_of(with(name, member));
      EXPECT_TRUE(test::active_parts(html).empty()) << name << ": " << html;
      const Json nested{{"type", "v"}, {"items", {with(name, member)}}};
      EXPECT_TRUE(test::active_parts(html_of(nested)).empty()) << name;
    }
  }
}

}  // namespace
}  // namespace lectern
