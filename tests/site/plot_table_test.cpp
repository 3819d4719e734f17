#include "site/plot_table.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "has.h"
#include "site/inert_html.h"

namespace lectern {
namespace {

using test::has;

using OrderedJson = nlohmann::ordered_json;

TEST(PlotTable, ColumnsAreTheFieldsInTheirOrder) {
  EXPECT_EQ(plot_table(R"({"data":{"values":[{"step":0,"loss":2.5},{"step":1,"loss":null,"run":"a<b"}]}})"),
            "<div class=\"plot-data scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">step</th>"
            "<th scope=\"col\">loss</th><th scope=\"col\">run</th></tr></thead><tbody>"
            "<tr><td>0</td><td>2.5</td><td></td></tr>"
            "<tr><td>1</td><td></td><td>a&lt;b</td></tr></tbody></table></div>");
}

TEST(PlotTable, SaysHowManyRowsThereAre) {
  OrderedJson values = OrderedJson::array();
  for (int i = 0; i < 100'000; ++i) values.push_back({{"a", i}});
  const std::string table = plot_table(OrderedJson{{"data", {{"values", values}}}}.dump());
  EXPECT_TRUE(has(table, "<td>49</td>"));
  EXPECT_FALSE(has(table, "<td>50</td>"));
  EXPECT_TRUE(has(table, "<p>The first 50 of 100,000 rows.</p>")) << table;
  OrderedJson wide = OrderedJson::object();
  for (int i = 0; i < 100; ++i) wide["c" + std::to_string(i)] = i;
  const std::string cut = plot_table(OrderedJson{{"data", {{"values", {wide}}}}}.dump());
  EXPECT_TRUE(has(cut, ">c11<"));
  EXPECT_FALSE(has(cut, ">c12<"));
}

TEST(PlotTable, DataOfViewsOfDatasetsAndPlainValues) {
  EXPECT_TRUE(has(plot_table(R"({"hconcat":[{"mark":"bar"},{"data":{"values":[{"q":1}]}}]})"), ">q<"));
  EXPECT_TRUE(has(plot_table(R"({"data":{"name":"d"},"datasets":{"d":[{"q":1}]}})"), ">q<"));
  EXPECT_TRUE(has(plot_table(R"({"data":{"values":[1,"b",[2]]}})"), "<th scope=\"col\">data</th>"));
  for (const char* none :
       {"{}", "[]", "null", R"({"data":{"url":"a.csv"}})", R"({"data":{"values":"a,b"}})", "torn {"})
    EXPECT_EQ(plot_table(none), "") << none;
}

TEST(PlotTable, IsInert) {
  const std::string evil = "</td></table><script>alert(1)</script>";
  const std::string table = plot_table(OrderedJson{{"data", {{"values", {{{evil, evil}}}}}}}.dump());
  EXPECT_TRUE(test::active_parts(table).empty()) << table;
  EXPECT_FALSE(has(table, "<script"));
}

}  // namespace
}  // namespace lectern
