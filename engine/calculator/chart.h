#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "calculator/calculator_function.h"
#include "calculator/rounded_text.h"

namespace lectern {

/// From values to places along an axis.
struct ChartScale {
  double from = 0, to = 1;     ///< values
  double first = 0, last = 1;  ///< places
  bool logarithmic = false;

  double operator()(double value) const {
    const double share =
        logarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
    return first + std::clamp(share, 0.0, 1.0) * (last - first);
  }

  /// Round values in the range, at most seven; none where it is not finite.
  std::vector<double> ticks() const {
    const double low = logarithmic ? std::log10(from) : from, high = logarithmic ? std::log10(to) : to;
    if (!std::isfinite(high - low)) return {};
    const double step = logarithmic ? whole_step(low, high) : round_step(low, high);
    const double begin = std::ceil(low / step - kTolerance);
    std::vector<double> ticks;
    for (int i = 0; i < kMostTicks; ++i) {
      const double tick = (begin + i) * step;
      if (!(tick <= high + kTolerance * step)) break;
      ticks.push_back(logarithmic ? std::pow(10.0, tick) : tick);
    }
    return ticks;
  }

 private:
  static constexpr int kMostTicks = 7;
  static constexpr double kTolerance = 1e-9;

  /// Of powers of ten.
  static double whole_step(double low, double high) {
    const double powers = std::floor(high + kTolerance) - std::ceil(low - kTolerance);
    return std::max(1.0, std::ceil(powers / (kMostTicks - 1)));
  }
  static double round_step(double low, double high) {
    const double rough = (high - low) / (kMostTicks - 1),
                 unit = std::pow(10.0, std::floor(std::log10(rough)));
    return unit * (rough <= unit ? 1 : rough <= 2 * unit ? 2 : rough <= 5 * unit ? 5 : 10);
  }
};

struct ChartAxis {
  std::string label;
  double from = 0, to = 1;
  bool logarithmic = false;
};

/// A drawing with two axes. Colours: 0 the ink, 1 to 8 those of plots, -1 quiet.
///
///     Chart chart("Loss over steps", {.label = "step", .to = 100}, {.label = "loss", .from = 0.1, .to = 10,
///                                                                   .logarithmic = true});
///     chart.line({{0, 8}, {100, 2}}, 1, "train");
///     out.drawings.push_back(chart.drawing());
class Chart {
 public:
  using Points = std::vector<std::pair<double, double>>;

  Chart(std::string alt, ChartAxis x, ChartAxis y)
      : drawing_{.alt = std::move(alt), .width = kWidth, .height = kHeight},
        x_{x.from, x.to, kLeft, kWidth - kRight, x.logarithmic},
        y_{y.from, y.to, kHeight - kBottom, kTop, y.logarithmic} {
    for (const double tick : x_.ticks()) {
      add("line", {x_(tick), kTop, x_(tick), kHeight - kBottom}, -1);
      add("label", {x_(tick), kHeight - kBottom + 17}, 0, rounded_number(tick, 3));
    }
    for (const double tick : y_.ticks()) {
      add("line", {kLeft, y_(tick), kWidth - kRight, y_(tick)}, -1);
      add("label", {kLeft - 6, y_(tick) + 4}, 0, rounded_number(tick, 3), "end");
    }
    add("label", {(kLeft + kWidth - kRight) / 2, kHeight - 4}, 0, x.label);
    add("label", {0, 12}, 0, y.label, "start");
  }

  /// Through points, which are cut off at the borders.
  void line(const Points& points, int color, const std::string& title = {}, bool dashed = false) {
    CalculatorShape shape{.kind = dashed ? "dashes" : "line", .points = {}, .color = color, .text = title};
    for (const auto& [x, y] : points) shape.points.insert(shape.points.end(), {x_(x), y_(y)});
    drawing_.shapes.push_back(std::move(shape));
  }

  /// A point, with its name beside it, above or below.
  void dot(double x, double y, int color, const std::string& name = {}, bool below = false) {
    add("dot", {x_(x), y_(y)}, color, name);
    if (name.empty()) return;
    const bool right = x_(x) < (kLeft + kWidth - kRight) / 2;
    add("label", {x_(x) + (right ? 7 : -7), y_(y) + (below ? 16 : -6)}, 0, name, right ? "start" : "end");
  }

  const CalculatorDrawing& drawing() const { return drawing_; }

 private:
  static constexpr double kWidth = 460, kHeight = 280, kLeft = 62, kRight = 14, kTop = 24, kBottom = 44;

  void add(const char* kind, std::vector<double> points, int color, const std::string& text = {},
           const std::string& anchor = {}) {
    drawing_.shapes.push_back({kind, std::move(points), color, text, anchor});
  }

  CalculatorDrawing drawing_;
  ChartScale x_, y_;
};

}  // namespace lectern
