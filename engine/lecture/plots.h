#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

/// Plots of numbers. What they need of Vega-Lite is here; for more there is plot() (hooks.h).
///
///     line_plot(losses, {.x = "step", .y = "loss", .log_y = true});
///     line_plot({{"SGD", slow}, {"Adam", fast}}, {.x = "step", .y = "loss"});
///     scatter_plot(sizes, times, {.x = "bytes", .y = "seconds", .log_x = true, .log_y = true});
///     bar_plot({{"memory", 12.5}, {"compute", 3}}, {.y = "ms"});
///
/// Numbers are a range (vector, array, span, view), a list in braces or a tensor of one dimension; NaN,
/// infinities and, on a logarithmic axis, what is not positive are gaps. Lists of different lengths, and a
/// plot of gaps alone, are errors at the lecture's line.
namespace lectern {

struct PlotOptions {
  std::string title = {};
  std::string x = {}, y = {};  ///< titles of the axes
  std::string legend = {};     ///< title of the legend
  bool log_x = false, log_y = false;
  std::optional<double> x_min = {}, x_max = {}, y_min = {}, y_max = {};  ///< points beyond are cut off
  std::vector<double> x_ticks = {}, y_ticks = {};  ///< where the axes are labelled; else at round numbers
  bool points = false;                             ///< a mark at each point of a line
  std::string alt = {};                            ///< without it, one that names labels and ranges
  std::string caption = {};
  int width = 0;   ///< in CSS pixels, 0 for that of the text
  int height = 0;  ///< between the axes, in CSS pixels; 0 for the usual
};

template <typename T>
concept PlotNumber = std::is_arithmetic_v<T> && !std::same_as<T, char>;
template <typename T>
concept PlotRange = !std::derived_from<std::remove_cvref_t<T>, Tensor> && requires(T & range) {
  *std::begin(range);
  std::begin(range) != std::end(range);
};
template <typename T>
using PlotElement = std::remove_cvref_t<decltype(*std::begin(std::declval<T&>()))>;
template <typename T>
concept PlotNumberRange = PlotRange<T> && PlotNumber<PlotElement<T>>;

class PlotNumbers {
 public:
  PlotNumbers() = default;
  template <PlotNumber T>
  PlotNumbers(std::initializer_list<T> numbers) {
    for (const T number : numbers) add(number);
  }
  PlotNumbers(std::initializer_list<double> numbers) : values_(numbers) {}
  template <PlotNumberRange Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  PlotNumbers(Range&& range) {
    for (const auto number : range) add(number);
  }
  PlotNumbers(const Tensor& tensor);

  const std::vector<double>& values() const { return values_; }

 private:
  void add(double number) { values_.push_back(number); }
  void add(float number);  ///< as the shortest decimal fraction that reads back as it
  template <std::integral T>
  void add(T number) {
    values_.push_back(static_cast<double>(number));
  }

  std::vector<double> values_;
};

/// Numbers with a name, and their own places on the x axis if not 0, 1, ….
struct PlotSeries {
  PlotSeries(std::string called, PlotNumbers values) : name(std::move(called)), y(std::move(values)) {}
  PlotSeries(std::string called, PlotNumbers places, PlotNumbers values)
      : name(std::move(called)), x(std::move(places)), y(std::move(values)), has_x(true) {}
  template <std::convertible_to<PlotNumbers> Numbers>
  PlotSeries(const Numbers& values) : y(values) {}

  std::string name;
  PlotNumbers x, y;
  bool has_x = false;
};

/// One series: numbers. Several: series in braces or in a vector; a range of ranges; a map from names; the
/// rows of a tensor of two dimensions.
class PlotData {
 public:
  PlotData(std::initializer_list<PlotSeries> series) : series_(series) {}
  PlotData(std::vector<PlotSeries> series) : series_(std::move(series)) {}
  template <PlotNumber T>
  PlotData(std::initializer_list<T> numbers) : series_{PlotSeries(PlotNumbers(numbers))} {}
  PlotData(std::initializer_list<double> numbers) : series_{PlotSeries(PlotNumbers(numbers))} {}
  PlotData(const Tensor& tensor);
  template <PlotNumberRange Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  PlotData(Range&& range) : series_{PlotSeries(PlotNumbers(range))} {}
  template <PlotRange Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  requires std::convertible_to<PlotElement<Range>, PlotNumbers> PlotData(Range&& range) {
    for (auto&& numbers : range) series_.emplace_back(PlotNumbers(numbers));
  }
  template <PlotRange Range>
  requires requires(PlotElement<Range> named) {
    { named.first } -> std::convertible_to<std::string>;
    { named.second } -> std::convertible_to<PlotNumbers>;
  }
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  PlotData(Range&& range) {
    for (auto&& named : range) series_.emplace_back(std::string(named.first), PlotNumbers(named.second));
  }

  std::vector<PlotSeries>& series() { return series_; }
  const std::vector<PlotSeries>& series() const { return series_; }

 private:
  std::vector<PlotSeries> series_;
};

/// The labels below bars: texts or numbers.
class PlotLabels {
 public:
  PlotLabels(std::initializer_list<std::string> labels) : values_(labels) {}
  PlotLabels(const PlotNumbers& numbers);
  PlotLabels(std::initializer_list<double> numbers) : PlotLabels(PlotNumbers(numbers)) {}
  template <PlotRange Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  requires std::convertible_to<PlotElement<Range>, std::string> PlotLabels(Range&& range) {
    for (auto&& label : range) values_.emplace_back(label);
  }
  template <PlotNumberRange Range>
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  PlotLabels(Range&& range) : PlotLabels(PlotNumbers(range)) {}
  PlotLabels(const Tensor& tensor) : PlotLabels(PlotNumbers(tensor)) {}

  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
};

/// Bars with their labels: pairs in braces, a vector of pairs, a map from texts or numbers.
struct PlotBars {
  PlotBars(std::initializer_list<std::pair<std::string, double>> bars) {
    for (const auto& [label, value] : bars) add(label, value);
  }
  template <PlotRange Range>
  requires requires(PlotElement<Range> bar) {
    requires PlotNumber<std::remove_cvref_t<decltype(bar.second)>>;
  }
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the concepts refuse the class itself
  PlotBars(Range&& range) {
    for (auto&& [label, value] : range) add(label, value);
  }

  std::vector<std::string> labels;
  std::vector<double> values;

 private:
  template <typename Label, typename Value>
  void add(const Label& label, const Value& value) {
    if constexpr (PlotNumber<Label>) {
      labels.push_back(PlotLabels({static_cast<double>(label)}).values()[0]);
    } else {
      labels.emplace_back(label);
    }
    values.push_back(PlotNumbers({value}).values()[0]);
  }
};

/// Lines through the points (0, y₀), (1, y₁), …, or through (x₀, y₀), (x₁, y₁), … with one x for all series.
void line_plot(const PlotData& y, const PlotOptions& options = {});
void line_plot(const PlotNumbers& x, const PlotData& y, const PlotOptions& options = {});

/// Points. Without an x each series brings its own: scatter_plot({{"a", x, y}, {"b", u, v}}).
void scatter_plot(const PlotData& points, const PlotOptions& options = {});
void scatter_plot(const PlotNumbers& x, const PlotData& y, const PlotOptions& options = {});

/// Bars from zero up; those of several series stand side by side.
void bar_plot(const PlotBars& bars, const PlotOptions& options = {});
void bar_plot(const PlotLabels& labels, const PlotData& heights, const PlotOptions& options = {});

}  // namespace lectern
