#include "site/plots.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/html.h"
#include "has.h"

namespace lectern {
namespace {

using test::has;

using OrderedJson = nlohmann::ordered_json;

TEST(Plots, PlacesAreAsHighAsThePlotWillBe) {
  const auto place = [](const char* spec) { return plot_place({spec}, "name", 0); };
  EXPECT_TRUE(has(place(R"({"height":260})"), "style=\"--height:330px\""));
  for (const char* unknown : {"{}", "[]", "null", R"({"height":{"step":20}})", R"({"height":"container"})"})
    EXPECT_TRUE(has(place(unknown), "--height:320px")) << unknown;
  EXPECT_TRUE(has(place(R"({"height":-1e300})"), "--height:110px"));
  EXPECT_TRUE(has(place(R"({"height":1e300})"), "--height:1270px"));
}

TEST(Plots, PlacesHaveANameAndTheWidthThatWasAskedFor) {
  EXPECT_TRUE(
      has(plot_place({"{}"}, "a \"b\" <c>", 0), "role=\"img\" aria-label=\"a &quot;b&quot; &lt;c&gt;\""));
  EXPECT_TRUE(has(plot_place({"{}"}, "", 0), "aria-label=\"Plot\""));
  EXPECT_TRUE(has(plot_place({"{}"}, "", 400), ";max-width:400px\""));
  EXPECT_FALSE(has(plot_place({"{}"}, "", 0), "max-width"));
}

TEST(Plots, SpecificationsAreJsonAsReadersSeeThem) {
  const OrderedJson spec = {
      {"title", "\u202Eturned\u202C \u2066x\u2069 \x7F \u0085 \x1B <b> \\u{202E} 语言 \"q\""}};
  const std::string text = indented_json({spec.dump()});
  EXPECT_EQ(OrderedJson::parse(html_to_text(escape_html(text))), spec) << text;
  EXPECT_TRUE(has(text, "语言"));
  EXPECT_TRUE(has(text, R"(\u202eturned\u202c)")) << text;
}

}  // namespace
}  // namespace lectern
