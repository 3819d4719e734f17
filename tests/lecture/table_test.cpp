#include "lecture/table.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/hook_test.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using Json = nlohmann::json;
using test::fake;

class Tables : public test::HookTest {
 protected:
  static Json rows() { return take_shown().at("rows"); }
  static std::string cell(const TableCell& cell) { return cell.text(); }
};

TEST_F(Tables, OfTexts) {
  table({"h", "i"}, {{"1", "2"}, {"3", ""}});
  expect_shown(R"({"kind":"table","header":["h","i"],"rows":[["1","2"],["3",""]]})");
  const std::vector<std::vector<std::string>> texts{{"a", "b"}};
  table({"h", "i"}, texts, {.caption = "c"});
  expect_shown(R"({"kind":"table","header":["h","i"],"rows":[["a","b"]],"caption":"c"})");
  const auto row = [](const std::string& name) { return std::vector<std::string>{name, "x"}; };
  table({"h", "i"}, {row("a"), row("b")});
  expect_shown(R"({"kind":"table","header":["h","i"],"rows":[["a","x"],["b","x"]]})");
  table({"h"}, {});
  expect_shown(R"({"kind":"table","header":["h"]})");
}

TEST_F(Tables, OfValues) {
  const std::string name = "c";
  table({"name", "bytes", "ok"}, {{"a", 12, true}, {"b", 3.5, false}, {name, "", true}});
  expect_shown(
      R"({"kind":"table","header":["name","bytes","ok"],"rows":[["a","12","true"],["b","3.5","false"],["c","","true"]],"numbers":[1]})");
  table({"n", "list"}, {{1, std::vector<int>{1, 2}}, {2, std::vector<int>{}}});
  expect_shown(R"({"kind":"table","header":["n","list"],"rows":[["1","[1, 2]"],["2","[]"]],"numbers":[0]})");
  table({"mixed"}, {{1}, {"none"}});
  EXPECT_FALSE(take_shown().contains("numbers"));
}

TEST_F(Tables, WriteNumbersForReading) {
  EXPECT_EQ(cell(0), "0");
  EXPECT_EQ(cell(2026), "2026");
  EXPECT_EQ(cell(-12'345), "-12,345");
  EXPECT_EQ(cell(1'234'567), "1,234,567");
  EXPECT_EQ(cell(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
  EXPECT_EQ(cell(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(cell(std::int8_t{-3}), "-3");
  EXPECT_EQ(cell('x'), "x");
  EXPECT_EQ(cell(0.1F), "0.1");
  EXPECT_EQ(cell(3.14159265), "3.14159");
  EXPECT_EQ(cell(-12345.678), "-12,345.7");
  EXPECT_EQ(cell(9999.5), "9999.5");
  EXPECT_EQ(cell(-144123.25), "-144,123");
  EXPECT_EQ(cell(99999.96), "100,000");
  EXPECT_EQ(cell(999999.7), "1,000,000");
  EXPECT_EQ(cell(2e9), "2,000,000,000");
  EXPECT_EQ(cell(1e20), "1e+20");
  EXPECT_EQ(cell(1.5e-7), "1.5e-07");
  EXPECT_EQ(cell(std::nan("")), "nan");
  EXPECT_EQ(cell(-HUGE_VAL), "-inf");
  EXPECT_EQ(cell(tensor(2.5)), "2.5");
  EXPECT_EQ(cell(tensor(3).item()), "3");
}

struct LayerRow {
  std::string name;
  std::int64_t parameters;
  double share;
};

TEST_F(Tables, OfTuplesAndClassesAndMaps) {
  const Json expected = Json::parse(R"([["a","1","0.5"],["b","2","0.25"]])");
  const std::vector<std::string> header{"name", "parameters", "share"};
  table(header, std::vector<std::tuple<std::string, int, double>>{{"a", 1, 0.5}, {"b", 2, 0.25}});
  EXPECT_EQ(rows(), expected);
  table(header, std::vector<LayerRow>{{"a", 1, 0.5}, {"b", 2, 0.25}});
  EXPECT_EQ(rows(), expected);
  table(header, std::map<std::string, std::pair<int, double>>{{"a", {1, 0.5}}, {"b", {2, 0.25}}});
  EXPECT_EQ(rows(), expected);
  const LayerRow layer{"a", 1, 0.5};
  table(header, {layer, std::tuple("b", 2, 0.25)});
  EXPECT_EQ(rows(), expected);
  table({"name", "n"}, std::map<std::string, int>{{"a", 1}});
  EXPECT_EQ(rows(), Json::parse(R"([["a","1"]])"));
  table({"n"}, std::vector<int>{1, 2});
  EXPECT_EQ(rows(), Json::parse(R"([["1"],["2"]])"));
  std::vector<TableRow> made;
  for (const LayerRow& one : {layer, LayerRow{"b", 2, 0.25}})
    made.push_back({one.name, one.parameters, one.share});
  table(header, made);
  EXPECT_EQ(rows(), expected);
  table({"file", "size"}, std::map<std::filesystem::path, int>{{"a/b", 1}});
  EXPECT_EQ(rows(), Json::parse(R"([["\"a/b\"","1"]])")) << "a path is one cell";
}

TEST_F(Tables, OfTensors) {
  table({"a", "b"}, tensor({{1., 2.5}, {3, 4}}));
  expect_shown(R"({"kind":"table","header":["a","b"],"rows":[["1","2.5"],["3","4"]],"numbers":[0,1]})");
  table({"n"}, tensor({true, false}));
  EXPECT_EQ(rows(), Json::parse(R"([["true"],["false"]])"));
  table({"loss"}, arange(2));
  EXPECT_EQ(rows(), Json::parse(R"([["0"],["1"]])"));
  expect_refused([] { table({"n"}, zeros({1, 1, 1})); }, "this one has shape [1, 1, 1]");
}

TEST_F(Tables, OfColumns) {
  const std::vector<int> steps{0, 100};
  table({{"step", steps}, {"loss", tensor({4., 2.5})}, {"what", {"first", "last"}}}, {.caption = "c"});
  expect_shown(
      R"({"kind":"table","header":["step","loss","what"],"rows":[["0","4","first"],["100","2.5","last"]],"caption":"c","numbers":[0,1]})");
  expect_refused(
      [&] {
        table({{"step", steps}, {"loss", {1, 2, 3}}});
      },
      "the column \"loss\" has 3 cells, \"step\" has 2;");
}

TEST_F(Tables, RefuseRowsOfAnotherLength) {
  expect_refused([] { table({"h", "i"}, {{"1", "2"}, {"3"}}); }, "row 2 has 1 cell, the header has 2");
  expect_refused([] { table(std::vector<std::string>(), {{1}}); }, "header is empty");
}

}  // namespace
}  // namespace lectern
