#include "site/values.h"

#include <gtest/gtest.h>

#include "base/html.h"
#include "has.h"
#include "site/inert_html.h"
#include "trace/decode.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

using test::has;

ShownValue shown(const Json& value) {
  return show_value(value_from_json(value));
}
ShownValue shown(const char* json) {
  return shown(Json::parse(json));
}
ShownValue shown(const std::string& json) {
  return shown(json.c_str());
}

TEST(Values, Scalars) {
  EXPECT_EQ(shown(R"({"type":"int","value":5})").text, "5");
  EXPECT_EQ(shown(R"({"type":"int","value":5})").type, "int");
  EXPECT_EQ(shown(R"({"type":"bool","value":true})").text, "true");
  EXPECT_EQ(shown(R"({"type":"double","value":{"float":"nan"}})").text, "NaN");
  EXPECT_EQ(shown(R"({"type":"double","value":{"float":"-inf"}})").text, "\u2212\u221E");
  EXPECT_EQ(shown("null").text, "null");
}

TEST(Values, NumbersAreNeverShortened) {
  for (const auto& [number, text] : {std::pair("9223372036854775807", "9,223,372,036,854,775,807"),
                                     {"18446744073709551615", "18,446,744,073,709,551,615"},
                                     {"123456.789", "123456.789"},
                                     {"0.30000000000000004", "0.30000000000000004"},
                                     {"0.1", "0.1"}}) {
    const Json json = Json::parse(number);
    const ShownValue value = shown(Json{{"type", "T"}, {"value", json}});
    EXPECT_EQ(value.text, text);
    EXPECT_EQ(value.html, std::string("<span class=\"num\">") + text + "</span>");
    EXPECT_EQ(value_text(value_from_json(json), 4), text) << "not even beside a claim";
    EXPECT_TRUE(has(shown(Json{{"type", "V"}, {"items", {json}}}).html, value.html));
  }
}

TEST(Values, StringsShowWhatIsInvisible) {
  const ShownValue value = shown(R"({"type":"std::string","value":"a\"b\\c\n\t\u0000\u0007\u202e"})");
  EXPECT_EQ(value.text, R"("a\"b\\c\n\t\0\x07\u202E")");
  EXPECT_TRUE(has(value.html, "<span class=\"esc\">\\n</span>"));
  EXPECT_TRUE(has(value.html, "\\u202E"));
}

TEST(Values, LongStringsAreShortened) {
  const std::string text(1000, 'x');
  const ShownValue value = shown(Json{{"type", "std::string"}, {"value", text}});
  EXPECT_LE(value.text.size(), 64u);
  EXPECT_TRUE(has(value.text, "\u2026"));
  EXPECT_TRUE(has(value.html, "<details"));
  EXPECT_TRUE(has(value.html, text));
  EXPECT_TRUE(has(value.html, "1,000 characters"));
}

TEST(Values, CutStringsSayTheirSize) {
  const ShownValue value = shown(R"({"type":"std::string","value":"abc","size":5000000})");
  EXPECT_TRUE(has(value.html, "5,000,000 bytes in all")) << value.html;
  EXPECT_EQ(value.text, "\"abc\"\u2026");
}

TEST(Values, BytesThatAreNoText) {
  const ShownValue value = shown(R"({"type":"std::string","value":{"bytes":"e4bd"}})");
  EXPECT_EQ(value.text, R"("\xE4\xBD")");
  EXPECT_EQ(html_to_text(value.html), R"("\xE4\xBD")");
}

TEST(Values, OnlyBytesThatAreNoTextAreEscaped) {
  // "tät" and a byte of no character, then a quotation mark.
  const ShownValue value = shown(R"({"type":"std::string","value":{"bytes":"74c3a474ff22"}})");
  EXPECT_EQ(value.text, "\"t\u00E4t\\xFF\\\"\"");
  EXPECT_EQ(html_to_text(value.html), value.text);
  EXPECT_TRUE(has(value.html, "<span class=\"esc\">\\xFF</span>")) << value.html;
}

TEST(Values, Sequences) {
  const ShownValue value = shown(R"({"type":"std::vector<int>","items":[1,2,3]})");
  EXPECT_EQ(value.text, "[1, 2, 3]");
  EXPECT_TRUE(has(value.html, "class=\"seq\""));
  EXPECT_EQ(shown(R"({"type":"std::vector<int>","items":[]})").text, "[]");
  const ShownValue cut = shown(R"({"type":"std::vector<int>","items":[1,2],"size":2000000})");
  EXPECT_EQ(cut.text, "[1, 2, \u2026]");
  EXPECT_TRUE(has(cut.html, "2,000,000 in all"));
}

TEST(Values, RowsOfNumbersAreAGrid) {
  const ShownValue value = shown(R"({"type":"m","items":[{"items":[1,2]},{"items":[3.5,4]}]})");
  EXPECT_TRUE(has(value.html, "<table class=\"grid\">")) << value.html;
  EXPECT_TRUE(has(value.html, "3.5"));
  EXPECT_EQ(value.text, "[[1, 2], [3.5, 4]]");
  EXPECT_FALSE(has(shown(R"({"type":"m","items":[{"items":[1,2]},{"items":[3]}]})").html, "grid"));
}

TEST(Values, MapsHaveTwoColumns) {
  const ShownValue value = shown(R"({"type":"map","entries":[["a",1],["b",{"items":[2]}]]})");
  EXPECT_TRUE(has(value.html, "<table class=\"map\">"));
  EXPECT_EQ(value.text, R"({"a": 1, "b": [2]})");
}

TEST(Values, FieldsAreNamed) {
  const ShownValue value =
      shown(R"({"type":"Point","fields":[["x",1],["inner",{"type":"P","fields":[["y",2]]}]]})");
  EXPECT_TRUE(has(value.html, "<dl class=\"fields\"><dt>x</dt>"));
  EXPECT_EQ(value.text, "{x: 1, inner: {y: 2}}");
}

TEST(Values, LargePartsOpenOnDemand) {
  const std::string many = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]";
  const std::string part = R"({"type":"P","fields":[["y",{"items":)" + many + "}]]}";
  const std::string tree = "<details class=\"tree\"><summary><span class=\"ty\">P</span> ";
  EXPECT_TRUE(has(shown(R"({"type":"A","fields":[["p",)" + part + "]]}").html,
                  "<dd>" + tree + "<span class=\"total\">1 field</span></summary><dl class=\"fields\">"));
  // What a pointer leads to is the value itself.
  EXPECT_FALSE(has(shown(part).html, tree));
  EXPECT_FALSE(has(shown(R"({"type":"P*","to":)" + part + "}").html, tree));
  EXPECT_TRUE(has(shown(R"({"type":"std::vector<int>","size":1000,"items":)" + many + "}").html, "seq"));
  const std::string weight = R"(["w",{"type":"Tensor","dtype":"float32","shape":[30,40]}],)";
  const std::string numbers = R"(["n",{"type":"std::vector<int>","size":1000,"items":)" + many + "}]";
  const std::string model =
      R"({"type":"Model","fields":[["m",{"type":"Linear","fields":[)" + weight + numbers + "]}]]}";
  EXPECT_TRUE(has(shown(model).html, "Linear</span> <span class=\"total\">1 tensor, 1,200 elements</span>"));
  EXPECT_TRUE(has(shown(model).html, "<span class=\"total\">1,000 elements</span>"));
}

TEST(Values, FieldsAfterNestedMapsKeepTheirNames) {
  EXPECT_EQ(shown(R"({"type":"A","fields":[["m",{"type":"map","entries":[["k",1]]}],["n",2]]})").text,
            R"({m: {"k": 1}, n: 2})");
}

TEST(Values, EnumsPointersAndSharing) {
  EXPECT_EQ(shown(R"({"type":"Color","text":"red","value":1})").text, "red");
  const auto duration = shown(R"({"type":"std::chrono::milliseconds","quantity":1500000,"unit":"<ms>"})");
  EXPECT_EQ(duration.text, "1,500,000 <ms>");
  EXPECT_EQ(duration.html, "<span class=\"num\">1,500,000 &lt;ms&gt;</span>");
  EXPECT_EQ(shown(R"({"type":"int*","to":5})").text, "\u2192 5");
  EXPECT_EQ(shown(R"({"type":"std::optional<int>","to":null})").text, "nullopt");
  EXPECT_EQ(shown(R"({"type":"std::optional<int>","to":3})").text, "3");
  EXPECT_EQ(shown(R"({"type":"int*","to":null})").text, "nullptr");
  EXPECT_EQ(shown(R"({"type":"std::shared_ptr<int>","to":null})").text, "nullptr");
  EXPECT_EQ(shown(R"({"type":"std::weak_ptr<int>","to":null})").text, "expired");
  EXPECT_EQ(shown(R"({"type":"std::nullptr_t","value":null})").text, "nullptr");
  EXPECT_EQ(shown(R"({"type":"void*","address":"0x7ffe12"})").text, "0x7ffe12");
  EXPECT_EQ(html_to_text(shown(R"({"type":"int*","to":null})").html), "nullptr");
  const ShownValue value =
      shown(R"({"type":"Node","fields":[["next",{"type":"Node*","to":{"ref":1}}]],"id":1})");
  EXPECT_TRUE(has(value.html, "<span class=\"share\">#1</span>")) << value.html;
  EXPECT_TRUE(has(value.html, "the same as #1"));
}

TEST(Values, VariantsNameTheActiveType) {
  const ShownValue value =
      shown(R"({"type":"std::variant<int, std::string>","to":{"type":"std::string","value":"abc"}})");
  EXPECT_EQ(value.text, R"(string "abc")");
  EXPECT_EQ(html_to_text(value.html), R"(string "abc")");
  EXPECT_EQ(shown(R"({"type":"std::variant<std::monostate, int>","to":{"type":"std::monostate"}})").text,
            "monostate");
  EXPECT_EQ(shown(R"({"type":"std::variant<int>","text":"valueless"})").text, "valueless");
  EXPECT_EQ(shown(R"({"type":"std::any","to":{"type":"double","value":0.1}})").text, "double 0.1");
  EXPECT_EQ(shown(R"({"type":"std::any","to":null})").text, "empty");
}

TEST(Values, CharactersAreInSingleQuotes) {
  EXPECT_EQ(shown(R"({"type":"char","value":"a"})").text, "'a'");
  EXPECT_EQ(shown(R"({"type":"char","value":"\n"})").text, R"('\n')");
  EXPECT_EQ(shown(R"({"type":"char","value":"\u0000"})").text, R"('\0')");
  EXPECT_EQ(shown(R"({"type":"char","value":"'"})").text, R"('\'')");
  EXPECT_EQ(shown(R"({"type":"char","value":"\""})").text, R"('"')");
  EXPECT_EQ(shown(R"({"type":"std::string","value":"it's"})").text, R"("it's")");
  EXPECT_EQ(shown(R"({"type":"char","value":{"bytes":"e4"}})").text, R"('\xE4')");
  const ShownValue list =
      shown(R"({"type":"v","items":[{"type":"char","value":"a"},{"type":"char","value":"\t"}]})");
  EXPECT_EQ(list.text, R"(['a', '\t'])");
  EXPECT_EQ(html_to_text(list.html), list.text);
}

TEST(Values, CutAndUnknown) {
  EXPECT_EQ(shown(R"({"cut":true})").text, "\u2026");
  EXPECT_EQ(shown(R"({"type":"std::mutex"})").text, "mutex");
  EXPECT_FALSE(has(shown(R"({"type":"std::mutex"})").html, "to_value"));
  const ShownValue closed = shown(R"({"type":"lib::Closed"})");
  EXPECT_EQ(html_to_text(closed.html), "lib::Closed (an operator<< or to_value would show more)");
  EXPECT_EQ(html_to_text(shown(R"({"type":"union Either"})").html),
            "union Either (its members are not read; an operator<< or to_value would show more)");
  EXPECT_TRUE(has(shown(R"({"type":"T","fields":[["union",{"type":"anonymous union"}]]})").html,
                  "title=\"its members are not read; an operator&lt;&lt; or to_value would show more\""));
  const ShownValue error = shown(R"({"type":"error","error":"index 5 < is out of bounds"})");
  EXPECT_EQ(error.text, "index 5 < is out of bounds");
  EXPECT_EQ(error.html, "<span class=\"problem\">index 5 &lt; is out of bounds</span>");
  EXPECT_TRUE(has(shown(R"({"type":"v","items":[{"type":"w","items":[{"cut":true}]}]})").html, "Left out"));
}

TEST(Values, OneLineHasItsLimit) {
  Json items = Json::array();
  for (int i = 0; i < 100000; ++i) items.push_back(i);
  EXPECT_LE(value_text(value_from_json({{"type", "v"}, {"items", items}}), 20).size(), 24u);
}

TEST(Values, DeepOnesEnd) {
  Json value = 1;
  for (int i = 0; i < 1000; ++i) value = Json{{"type", "p"}, {"to", value}};
  EXPECT_FALSE(shown(value).html.empty());
  EXPECT_FALSE(shown(value).text.empty());
}

TEST(Values, HostileOnesAreInert) {
  const std::string hostile = "</code><script>alert(1)</script><img src=x onerror=alert(1)>\"'`";
  const Json h = hostile;
  for (const Json& value :
       {h, Json{{"type", hostile}}, Json{{"type", hostile}, {"value", h}},
        Json{{"type", hostile}, {"text", h}, {"value", h}},
        Json{{"type", "v"}, {"items", Json::array({h, Json{{"type", "v"}, {"items", Json::array({h})}}})}},
        Json{{"type", "m"}, {"entries", Json::array({Json::array({h, h}), h})}},
        Json{{"type", "f"}, {"fields", Json::array({Json::array({h, h}), h})}}, Json{{"ref", h}},
        Json{{"to", h}, {"id", h}}, Json{{"bytes", h}}, Json{{"float", h}}, Json{{"value", h}, {"size", h}},
        Json::array({h})}) {
    const std::string html = shown(value).html;
    EXPECT_TRUE(test::active_parts(html).empty()) << html;
  }
}

TEST(Types, AreShort) {
  EXPECT_EQ(short_type("std::string"), "string");
  EXPECT_EQ(short_type("std::map<long long, std::string>"), "map<int64, string>");
  EXPECT_EQ(short_type("unsigned long"), "size_t");
  EXPECT_EQ(short_type("lm::Tokenizer"), "lm::Tokenizer");
  EXPECT_EQ(short_type("mystd::thing"), "mystd::thing");
}

}  // namespace
}  // namespace lectern
