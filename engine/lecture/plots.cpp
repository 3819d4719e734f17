#include "lecture/plots.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "lecture/hooks.h"
#include "lecture/rendering.h"
#include "tensor/elements.h"

namespace lectern {
namespace {

using Spec = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 50'000;

/// A kind of plot: its hook, Vega-Lite's mark, and how its alt text begins.
struct Kind {
  const char *hook, *mark, *name;
};
constexpr Kind kLines{"line_plot", "line", "Line plot"};
constexpr Kind kPoints{"scatter_plot", "point", "Scatter plot"};
constexpr Kind kBars{"bar_plot", "bar", "Bar plot"};

double as_decimal(float number) {
  if (!std::isfinite(number)) return static_cast<double>(number);
  std::array<char, 32> text;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  double decimal = 0;
  std::from_chars(text.data(), end, decimal);
  return decimal;
}

/// From the least to the greatest number that is not a gap.
struct Extent {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;

  void add(double number) {
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  std::string text(const std::string& label, std::string_view otherwise) const {
    return fmt::format("{} from {:.3g} to {:.3g}", label.empty() ? otherwise : label, least, greatest);
  }
};

/// One plot on its way to Vega-Lite.
class Chart {
 public:
  Chart(const Kind& kind, const PlotData& data, const PlotOptions& options)
      : kind_(kind), series_(data.series()), options_(options) {
    check();
    spec_["$schema"] = "https://vega.github.io/schema/vega-lite/v6.json";
    if (!options.title.empty()) spec_["title"] = options.title;
    if (options.height > 0) spec_["height"] = options.height;
  }

  void draw(const PlotNumbers* shared_x) {
    for (const PlotSeries& series : series_) add_points(series, shared_x);
    const bool whole = std::ranges::all_of(rows_, [](const Spec& row) {
      return row["x"].is_null() || std::trunc(row["x"].get<double>()) == row["x"].get<double>();
    });
    Spec x = axis("x", options_.x, options_.log_x, options_.x_min, options_.x_max, options_.x_ticks);
    if (whole && !options_.log_x && options_.x_ticks.empty()) x["axis"]["tickMinStep"] = 1;
    Spec y = axis("y", options_.y, options_.log_y, options_.y_min, options_.y_max, options_.y_ticks);
    for (Spec* const each : {&x, &y}) (*each)["scale"].emplace("zero", false);
    Spec mark{{"type", kind_.mark}};
    if (kind_.hook == kLines.hook) mark["point"] = options_.points;
    if (kind_.hook == kPoints.hook) mark["filled"] = true;
    show(mark, {{"x", x}, {"y", y}}, x_extent_.text(options_.x, "x"));
  }

  void draw(const std::vector<std::string>& labels) {
    for (const PlotSeries& series : series_) {
      const std::vector<double>& y = series.y.values();
      if (y.size() != labels.size()) refuse_lengths(labels.size(), "labels", series, "heights");
      for (std::size_t i = 0; i < y.size(); ++i) add_row("label", labels[i], y[i], series);
    }
    Spec encoding{
        {"x", {{"field", "label"}, {"type", "nominal"}, {"title", title(options_.x)}}},
        {"y", axis("y", options_.y, options_.log_y, options_.y_min, options_.y_max, options_.y_ticks)}};
    encoding["x"]["sort"] = nullptr;
    encoding["x"]["axis"]["labelAngle"] = labels.size() > 8 ? -45 : 0;
    if (series_.size() > 1) encoding["xOffset"] = {{"field", "series"}, {"sort", nullptr}};
    show({{"type", kind_.mark}}, encoding, fmt::format("{}", fmt::join(labels, ", ")));
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    lectern::refuse(fmt::format("{}: {}", kind_.hook, problem));
  }
  [[noreturn]] void refuse_lengths(std::size_t size, const char* what, const PlotSeries& series,
                                   const char* others) const {
    refuse(fmt::format("there are {} {}, but {} {}{}; give as many of both", size, what,
                       series.y.values().size(), others,
                       series.name.empty() ? "" : fmt::format(" of \"{}\"", series.name)));
  }

  void check() const {
    if (series_.empty()) refuse("there is no series to draw; give it numbers");
    std::size_t points = 0;
    for (const PlotSeries& series : series_) points += series.y.values().size();
    if (points > kMostPoints) {
      refuse(fmt::format("{} points are more than a page can draw; choose at most {} of them", points,
                         kMostPoints));
    }
    for (const auto& [from, to] :
         {std::pair(options_.x_min, options_.x_max), {options_.y_min, options_.y_max}}) {
      if (from && to && !(*from < *to))
        refuse(fmt::format("an axis from {} to {} is empty; begin with the smaller number", *from, *to));
    }
  }

  void add_points(const PlotSeries& series, const PlotNumbers* shared_x) {
    const std::vector<double>& y = series.y.values();
    const PlotNumbers* const x = series.has_x ? &series.x : shared_x;
    if (x != nullptr && x->values().size() != y.size())
      refuse_lengths(x->values().size(), "numbers for x", series, "for y");
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double place = x != nullptr ? x->values()[i] : static_cast<double>(i);
      const Spec at = number(place, options_.log_x);
      if (!at.is_null()) x_extent_.add(place);
      add_row("x", at, y[i], series);
    }
  }

  void add_row(const char* field, const Spec& x, double y, const PlotSeries& series) {
    Spec row{{field, x}, {"y", number(y, options_.log_y)}};
    if (!row["y"].is_null() && !x.is_null()) y_extent_.add(y);
    if (series_.size() > 1) row["series"] = name(series);
    rows_.push_back(std::move(row));
  }

  /// null for a gap.
  static Spec number(double value, bool log) {
    if (!std::isfinite(value) || (log && value <= 0)) return nullptr;
    constexpr double kExact = 9007199254740992;  // 2^53
    if (std::trunc(value) == value && std::abs(value) < kExact) return static_cast<std::int64_t>(value);
    return value;
  }

  static Spec title(const std::string& label) { return label.empty() ? Spec() : Spec(label); }

  static Spec axis(const char* field, const std::string& label, bool log, std::optional<double> least,
                   std::optional<double> greatest, const std::vector<double>& ticks) {
    Spec scale{{"type", log ? "log" : "linear"}};
    if (least) scale["domainMin"] = *least;
    if (greatest) scale["domainMax"] = *greatest;
    Spec axis{{"field", field}, {"type", "quantitative"}, {"title", title(label)}, {"scale", scale}};
    for (const double tick : ticks) axis["axis"]["values"].push_back(number(tick, false));
    return axis;
  }

  std::string name(const PlotSeries& series) const {
    return series.name.empty() ? std::to_string(&series - series_.data()) : series.name;
  }

  std::string alt(const std::string& x) const {
    std::string text = kind_.name;
    if (!options_.title.empty()) text += fmt::format(", {}", options_.title);
    text += fmt::format(": {}; {}", y_extent_.text(options_.y, "y"), x);
    if (series_.size() == 1) return text;
    std::string names;
    for (const PlotSeries& series : series_)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name(series));
    return text + fmt::format("; {}: {}", options_.legend.empty() ? "series" : options_.legend, names);
  }

  void show(Spec mark, const Spec& encoding, const std::string& x) {
    if (y_extent_.least > y_extent_.greatest) {
      refuse(options_.log_x || options_.log_y ? "there is no point with numbers that are finite and, on the "
                                                "logarithmic axis, positive; look at the numbers"
                                              : "there is no point with finite numbers; look at the numbers");
    }
    spec_["data"]["values"] = std::move(rows_);
    if (options_.x_min || options_.x_max || options_.y_min || options_.y_max) mark["clip"] = true;
    spec_["mark"] = mark;
    spec_["encoding"] = encoding;
    if (series_.size() > 1) {
      spec_["encoding"]["color"] = {
          {"field", "series"}, {"type", "nominal"}, {"title", title(options_.legend)}, {"sort", nullptr}};
    }
    plot(spec_.dump(-1, ' ', false, Spec::error_handler_t::replace),
         {.alt = options_.alt.empty() ? alt(x) : options_.alt,
          .caption = options_.caption,
          .width = options_.width});
  }

  Kind kind_;
  const std::vector<PlotSeries>& series_;
  const PlotOptions& options_;
  Spec spec_, rows_ = Spec::array();
  Extent x_extent_, y_extent_;
};

[[noreturn]] void refuse_shape(const Tensor& tensor, const char* wanted) {
  refuse("plot: a tensor of numbers has " + std::string(wanted) + ", this one has shape " +
         to_string(tensor.shape()) + "; choose a part of it, or flatten() it");
}

}  // namespace

void PlotNumbers::add(float number) {
  add(as_decimal(number));
}

PlotNumbers::PlotNumbers(const Tensor& tensor) {
  if (tensor.dim() != 1) refuse_shape(tensor, "one dimension");
  const Elements elements = read_elements(tensor, select_all(tensor.sizes()));
  for (const std::int64_t integer : elements.integers) add(integer);
  for (const double real : elements.reals) {
    tensor.dtype() == float64 ? add(real) : add(static_cast<float>(real));
  }
}

PlotData::PlotData(const Tensor& tensor) {
  if (tensor.dim() != 1 && tensor.dim() != 2) refuse_shape(tensor, "one or two dimensions");
  if (tensor.dim() == 1) series_.emplace_back(PlotNumbers(tensor));
  for (std::int64_t row = 0; tensor.dim() == 2 && row < tensor.size(0); ++row)
    series_.emplace_back(PlotNumbers(tensor.detach().select(0, row)));
}

PlotLabels::PlotLabels(const PlotNumbers& numbers) {
  for (const double number : numbers.values()) values_.push_back(fmt::format("{}", number));
}

void line_plot(const PlotData& y, const PlotOptions& options) {
  Chart(kLines, y, options).draw(nullptr);
}
void line_plot(const PlotNumbers& x, const PlotData& y, const PlotOptions& options) {
  Chart(kLines, y, options).draw(&x);
}

void scatter_plot(const PlotData& points, const PlotOptions& options) {
  Chart(kPoints, points, options).draw(nullptr);
}
void scatter_plot(const PlotNumbers& x, const PlotData& y, const PlotOptions& options) {
  Chart(kPoints, y, options).draw(&x);
}

void bar_plot(const PlotBars& bars, const PlotOptions& options) {
  bar_plot(PlotLabels(bars.labels), PlotData(bars.values), options);
}
void bar_plot(const PlotLabels& labels, const PlotData& heights, const PlotOptions& options) {
  Chart(kBars, heights, options).draw(labels.values());
}

}  // namespace lectern
