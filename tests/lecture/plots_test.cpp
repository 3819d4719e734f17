#include "lecture/plots.h"

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/hook_test.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using Json = nlohmann::json;
using test::fake;

class NumberPlots : public test::HookTest {
 protected:
  static Json shown() {
    Json rendering = take_shown();
    EXPECT_EQ(rendering.at("kind"), "plot");
    return rendering;
  }
  static Json values() { return shown().at("spec").at("data").at("values"); }
};

/// As views are: elements are made when they are asked for, and begin() is not const.
struct Squares {
  struct Iterator {
    int n;
    int operator*() const { return n * n; }
    Iterator& operator++() { return ++n, *this; }
    bool operator!=(const Iterator& other) const { return n != other.n; }
  };
  Iterator begin() { return {1}; }
  Iterator end() { return {4}; }
};

const Json kSquares = Json::parse(R"([{"x":0,"y":1},{"x":1,"y":4},{"x":2,"y":9}])");

TEST_F(NumberPlots, TakeEveryKindOfNumbers) {
  const std::vector<double> vector{1, 4, 9};
  line_plot(vector);
  EXPECT_EQ(values(), kSquares);
  line_plot({1, 4, 9});
  EXPECT_EQ(values(), kSquares);
  line_plot({1, 4., 9});
  EXPECT_EQ(values(), kSquares);
  line_plot(std::array<float, 3>{1, 4, 9});
  EXPECT_EQ(values(), kSquares);
  line_plot(std::span(vector));
  EXPECT_EQ(values(), kSquares);
  line_plot(std::deque<std::uint8_t>{1, 4, 9});
  EXPECT_EQ(values(), kSquares);
  const long c_array[]{1, 4, 9};
  line_plot(c_array);
  EXPECT_EQ(values(), kSquares);
  line_plot(Squares());
  EXPECT_EQ(values(), kSquares);
  line_plot(tensor({1, 4, 9}));
  EXPECT_EQ(values(), kSquares);
  line_plot(tensor({1., 4, 9}, {.dtype = bfloat16}));
  EXPECT_EQ(values(), kSquares);
}

TEST_F(NumberPlots, ShowFloatsAsTheyAreWritten) {
  line_plot(std::vector<float>{0.1F});
  EXPECT_EQ(values().dump(), R"([{"x":0,"y":0.1}])");
  line_plot(tensor({0.1}));
  EXPECT_EQ(values().dump(), R"([{"x":0,"y":0.1}])");
  line_plot(std::vector{0.1 + 0.2});
  EXPECT_EQ(values().dump(), R"([{"x":0,"y":0.30000000000000004}])");
}

TEST_F(NumberPlots, DrawSeveralSeries) {
  const Json expected =
      Json::parse(R"([{"x":0,"y":1,"series":"a"},{"x":1,"y":2,"series":"a"},{"x":0,"y":3,"series":"b"}])");
  const std::vector<int> a{1, 2}, b{3};
  line_plot({{"a", a}, {"b", b}});
  EXPECT_EQ(values(), expected);
  line_plot({{"a", {1, 2}}, {"b", {3}}});
  EXPECT_EQ(values(), expected);
  std::vector<PlotSeries> curves;
  curves.push_back({"a", a});
  curves.push_back({"b", b});
  line_plot(curves, {.legend = "which"});
  Json color = shown()["spec"]["encoding"]["color"];
  EXPECT_EQ(color["title"], "which");
  line_plot(std::map<std::string, std::vector<int>>{{"a", a}, {"b", b}});
  EXPECT_EQ(values(), expected);
  const Json numbered = Json::parse(
      R"([{"x":0,"y":1,"series":"0"},{"x":1,"y":2,"series":"0"},{"x":0,"y":3,"series":"1"},{"x":1,"y":4,"series":"1"}])");
  line_plot(std::vector<std::vector<double>>{{1, 2}, {3, 4}});
  EXPECT_EQ(values(), numbered);
  line_plot(tensor({{1., 2}, {3, 4}}));
  EXPECT_EQ(values(), numbered) << "the rows of a tensor are its series";
  const std::vector<int> c{3, 4};
  line_plot({a, c});
  EXPECT_EQ(values(), numbered);
}

TEST_F(NumberPlots, HavePlacesOnTheXAxis) {
  const Json expected = Json::parse(R"([{"x":0.5,"y":1},{"x":2,"y":2}])");
  line_plot({0.5, 2}, {1, 2});
  EXPECT_EQ(values(), expected);
  scatter_plot(tensor({0.5, 2}), std::vector{1, 2}, {.title = "T"});
  EXPECT_EQ(values(), expected);
  scatter_plot({{"a", {0.5}, {1}}, {"b", {2}, {2}}});
  EXPECT_EQ(values(), Json::parse(R"([{"x":0.5,"y":1,"series":"a"},{"x":2,"y":2,"series":"b"}])"));
  line_plot(arange(1, 3), {{"a", {1, 2}}, {"b", {3, 4}}});
  EXPECT_EQ(values()[3], Json::parse(R"({"x":2,"y":4,"series":"b"})"));
}

TEST_F(NumberPlots, AreSpecifiedInVegaLite) {
  line_plot({1, 10},
            {.title = "Loss", .x = "step", .y = "loss \"l\"", .log_y = true, .points = true, .height = 100});
  Json spec = shown()["spec"];
  spec.erase("data");
  EXPECT_EQ(spec, Json::parse(R"({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json", "title": "Loss", "height": 100,
    "mark": {"type": "line", "point": true},
    "encoding": {
      "x": {"field": "x", "type": "quantitative", "title": "step", "scale": {"type": "linear", "zero": false},
            "axis": {"tickMinStep": 1}},
      "y": {"field": "y", "type": "quantitative", "title": "loss \"l\"", "scale": {"type": "log", "zero": false}}}})"));
  scatter_plot({1}, {2}, {.x_min = 0.5, .y_min = -1, .y_max = 4});
  spec = shown()["spec"];
  EXPECT_EQ(spec["mark"], Json::parse(R"({"type": "point", "filled": true, "clip": true})"));
  EXPECT_EQ(spec["encoding"]["x"]["scale"]["domainMin"], 0.5);
  EXPECT_EQ(spec["encoding"]["y"]["scale"]["domainMax"], 4);
  EXPECT_TRUE(spec["encoding"]["x"]["title"].is_null());
}

TEST_F(NumberPlots, HaveLabelsWhereTheAuthorWantsThem) {
  line_plot({256, 512}, {1, 2.5}, {.log_x = true, .x_ticks = {256, 512}, .y_ticks = {0, 2.5}});
  const Json axes = shown()["spec"]["encoding"];
  EXPECT_EQ(axes["x"]["axis"], Json::parse(R"({"values": [256, 512]})"));
  EXPECT_EQ(axes["y"]["axis"], Json::parse(R"({"values": [0, 2.5]})"));
}

TEST_F(NumberPlots, DrawBars) {
  const Json expected = Json::parse(R"([{"label":"a","y":1.5},{"label":"b","y":2}])");
  bar_plot({{"a", 1.5}, {"b", 2}});
  EXPECT_EQ(values(), expected);
  bar_plot({"a", "b"}, {1.5, 2});
  EXPECT_EQ(values(), expected);
  bar_plot(std::map<std::string, float>{{"a", 1.5F}, {"b", 2.F}}, {.y = "s"});
  EXPECT_EQ(values(), expected);
  bar_plot(std::vector<std::string>{"a", "b"}, tensor({1.5, 2}));
  EXPECT_EQ(values(), expected);
  bar_plot({0.01, 0.03}, std::vector{1, 2});
  EXPECT_EQ(values()[0]["label"], "0.01");
  bar_plot(std::map<int, long>{{3, 1}});
  EXPECT_EQ(values()[0]["label"], "3");
  bar_plot({"x", "y"}, {{"before", {1, 2}}, {"after", {3, 4}}});
  const Json spec = shown()["spec"];
  EXPECT_EQ(spec["data"]["values"][2], Json::parse(R"({"label":"x","y":3,"series":"after"})"));
  EXPECT_EQ(spec["encoding"]["xOffset"]["field"], "series");
  EXPECT_FALSE(spec["encoding"]["y"]["scale"].contains("zero")) << "bars begin at zero";
}

TEST_F(NumberPlots, LeaveGaps) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = HUGE_VAL;
  line_plot({1., kNan, kInfinity, -kInfinity, 0.});
  EXPECT_EQ(values().dump(),
            R"([{"x":0,"y":1},{"x":1,"y":null},{"x":2,"y":null},{"x":3,"y":null},{"x":4,"y":0}])");
  line_plot({1., 0., -1.}, {.log_y = true});
  EXPECT_EQ(values().dump(), R"([{"x":0,"y":1},{"x":1,"y":null},{"x":2,"y":null}])");
  line_plot({1., 2.}, {.log_x = true});
  EXPECT_EQ(values()[0].dump(), R"({"x":null,"y":1})");
}

TEST_F(NumberPlots, HaveATextForThoseWhoDoNotSeeThem) {
  line_plot({{"a", {1, 2.5}}, {"b", {3, 0.125}}}, {.title = "Loss", .x = "step", .y = "loss"});
  EXPECT_EQ(shown()["alt"], "Line plot, Loss: loss from 0.125 to 3; step from 0 to 1; series: a, b");
  bar_plot({{"a", 1}, {"b", 2}}, {.caption = "C", .width = 300});
  Json bars = shown();
  EXPECT_EQ(bars["alt"], "Bar plot: y from 1 to 2; a, b");
  EXPECT_EQ(bars["caption"], "C");
  EXPECT_EQ(bars["width"], 300);
  scatter_plot({1}, {2}, {.alt = "one point"});
  EXPECT_EQ(shown()["alt"], "one point");
}

TEST_F(NumberPlots, RefuseWhatDoesNotFit) {
  expect_refused(
      [] {
        line_plot({1, 2, 3}, {1, 2});
      },
      "line_plot: there are 3 numbers for x, but 2 for y; give as many");
  expect_refused([] { line_plot({1, 2, 3}, {{"fast", {1, 2}}}); }, "but 2 for y of \"fast\"");
  expect_refused([] { bar_plot({"a"}, {1, 2}); }, "bar_plot: there are 1 labels, but 2 heights");
  expect_refused([] { line_plot(std::vector<double>{}); }, "no point");
  expect_refused([] { line_plot({std::nan("")}); }, "no point with finite numbers");
  expect_refused([] { line_plot({-1.}, {.log_y = true}); }, "on the logarithmic axis, positive");
  expect_refused([] { line_plot(std::vector<std::vector<double>>{}); }, "no series");
  expect_refused([] { line_plot(zeros({2, 2, 2})); }, "has shape [2, 2, 2]; choose a part");
  expect_refused([] { line_plot(zeros({2, 2}), zeros({2})); }, "has shape [2, 2]");
  expect_refused([] { line_plot(std::vector<int>(50'001)); }, "50001 points are more than");
  expect_refused([] { line_plot({1}, {.y_min = 2, .y_max = 1}); }, "an axis from 2 to 1 is empty");
}

TEST_F(NumberPlots, AreDataWhateverTheyAreCalled) {
  line_plot({{"</script>\"", {1}}, {"\xFF", {2}}}, {.title = "a\nb"});
  const Json rendering = shown();
  EXPECT_EQ(rendering["spec"]["data"]["values"][0]["series"], "</script>\"");
  EXPECT_EQ(rendering["spec"]["data"]["values"][1]["series"], "\uFFFD");
}

}  // namespace
}  // namespace lectern
