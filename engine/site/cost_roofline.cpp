#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/cost_parts.h"
#include "trace/cost_text.h"
#include "trace/roof.h"

namespace lectern {
namespace {

constexpr std::size_t kMostDots = 60;
constexpr double kLeastRadius = 4, kWholeRadius = 24;  // pixels; of a line that took all the time

/// Decades of an axis.
struct Axis {
  double low, high;

  /// Percent of its length.
  double at(double amount) const {
    const double share = (std::log10(amount) - low) / (high - low);
    return 100 * std::clamp(share, 0.0, 1.0);
  }
};

/// A line of the lecture.
struct Dot {
  const LineCost* line;
  double intensity, rate;
};

class RooflineWriter {
 public:
  RooflineWriter(const Trace& trace, const CostAccount& account, Roof roof)
      : trace_(trace), account_(account), roof_(std::move(roof)), lines_(line_costs(trace, account)) {
    choose();
  }

  std::string run() const {
    if (dots_.empty()) return {};
    return "<h2>Roofline</h2>\n<p class=\"about\">What each line reached, and what the device could. A dot "
           "is a "
           "line of the lecture, without what it called; its area is its share of the time. Both scales are "
           "logarithmic.</p>\n<figure class=\"roofline\">" +
           drawing() + "<figcaption>" + escape_html(caption()) + "</figcaption></figure>\n";
  }

 private:
  void choose() {
    for (const LineCost& line : lines_) {
      const Cost& cost = line.cost.self;
      if (cost.ns <= 0 || cost.flops == 0 || cost.bytes == 0) continue;
      dots_.push_back({&line, arithmetic_intensity(cost), flops_per_second(cost)});
      flops_ += static_cast<double>(cost.flops);
      if (dots_.back().intensity < roof_.ridge()) below_ridge_ += static_cast<double>(cost.flops);
    }
    std::ranges::stable_sort(
        dots_, [](const Dot& a, const Dot& b) { return a.line->cost.self.ns > b.line->cost.self.ns; });
    all_ = dots_.size();
    dots_.resize(std::min(all_, kMostDots));
    place_axes();
  }

  /// Around the ridge and all dots but those that are very far away.
  void place_axes() {
    constexpr double kLeft = 5, kRight = 4, kDown = 7, kUp = 3;  // decades from the ridge
    const double ridge = std::log10(roof_.ridge()), top = std::log10(roof_.flops);
    double left = ridge - 2, right = ridge + 0.7, bottom = top - 2;
    double up = std::log10(std::max(roof_.flops, roof_.bfloat16));
    for (const Dot& dot : dots_) {
      left = std::min(left, std::log10(dot.intensity) - 0.2);
      right = std::max(right, std::log10(dot.intensity) + 0.2);
      bottom = std::min(bottom, std::log10(dot.rate) - 0.2);
      up = std::max(up, std::log10(dot.rate));
    }
    x_ = {std::floor(std::max(left, ridge - kLeft)), std::ceil(std::min(right, ridge + kRight))};
    y_.low = std::floor(std::max(bottom, top - kDown));
    up = std::min(up, top + kUp);
    y_.high = up + 0.1 * (up - y_.low);
  }

  std::string drawing() const {
    const std::string told =
        fmt::format("Roofline of {}: {} of the lecture under a memory bandwidth of {} and a peak of {}",
                    roof_.device, counted(dots_.size(), "line", "lines"), show_quantity(roof_.bytes, "B/s"),
                    show_quantity(roof_.flops, "FLOP/s"));
    std::string svg = "<svg role=\"group\" aria-label=\"" + escape_html(told) +
                      "\"><rect class=\"ground\" width=\"100%\" height=\"100%\"/>";
    svg += grid() + roofs();
    for (const Dot& dot : dots_) svg += dot_html(dot);
    return svg + "</svg>";
  }

  static std::string line(const char* kind, double x1, double y1, double x2, double y2) {
    return fmt::format("<line class=\"{}\" x1=\"{:.2f}%\" y1=\"{:.2f}%\" x2=\"{:.2f}%\" y2=\"{:.2f}%\"/>",
                       kind, x1, 100 - y1, x2, 100 - y2);
  }
  static std::string label(const char* kind, double x, double y, const std::string& text) {
    return fmt::format("<text class=\"{}\" x=\"{:.2f}%\" y=\"{:.2f}%\">{}</text>", kind, x, 100 - y,
                       escape_html(text));
  }

  /// Powers of ten, of which so many are named as there is room for.
  std::string grid() const {
    constexpr double kMostLabels = 6;
    std::string svg;
    const auto step = [](const Axis& axis) {
      return static_cast<int>(std::ceil((axis.high - axis.low) / kMostLabels));
    };
    const auto decades = [](const Axis& axis, int each, const auto& draw) {
      for (int i = 0; axis.low + i <= axis.high; ++i) draw(std::pow(10.0, axis.low + i), i % each == 0);
    };
    decades(x_, step(x_), [&](double amount, bool named) {
      svg += line("grid", x_.at(amount), 0, x_.at(amount), 100);
      if (named)
        svg += label("x", x_.at(amount), 0, amount < 1 ? fmt::format("{:g}", amount) : show_quantity(amount));
    });
    decades(y_, step(y_), [&](double amount, bool named) {
      svg += line("grid", 0, y_.at(amount), 100, y_.at(amount));
      if (named) svg += label("y", 0, y_.at(amount), show_quantity(amount));
    });
    return svg + label("x-title", 100, 0, "FLOP per byte") + label("y-title", 0, 100, "FLOP/s");
  }

  std::string roofs() const {
    const double ridge = x_.at(roof_.ridge()), top = y_.at(roof_.flops);
    // Where the line of memory comes in: from the left or from below.
    const double first = std::max(std::pow(10.0, x_.low), std::pow(10.0, y_.low) / roof_.bytes);
    const double left = x_.at(first), bottom = y_.at(first * roof_.bytes);
    std::string svg = line("memory", left, bottom, ridge, top) + line("compute", ridge, top, 100, top);
    if (roof_.bfloat16 > 0) {
      const double higher = y_.at(roof_.bfloat16);
      svg += line("compute other", x_.at(roof_.bfloat16 / roof_.bytes), higher, 100, higher) +
             line("memory other", ridge, top, x_.at(roof_.bfloat16 / roof_.bytes), higher) +
             label("higher-name", 100, higher, "bfloat16, " + show_quantity(roof_.bfloat16, "FLOP/s"));
    }
    constexpr double kNamed = 0.6;  // of the line of memory, to whose left no dot is
    svg += label("memory-name", left + kNamed * (ridge - left), bottom + kNamed * (top - bottom),
                 "memory, " + show_quantity(roof_.bytes, "B/s"));
    return svg + label("ridge-name", ridge, top, "float32, " + show_quantity(roof_.flops, "FLOP/s"));
  }

  std::string dot_html(const Dot& dot) const {
    const LineCost& line = *dot.line;
    const Cost& cost = line.cost.self;
    const double share = std::clamp(
        static_cast<double>(cost.ns) / static_cast<double>(std::max<std::int64_t>(account_.total.ns, 1)), 0.0,
        1.0);
    const SourceFile& source = trace_.sources[index(line.source)];
    const std::string told =
        fmt::format("{}:{}: {}, {}, {} FLOP/byte, {} of its roof, {}", escape_html(source.path), line.line,
                    code_at(source, trace_.sites[index(line.site)].span), show_quantity(dot.rate, "FLOP/s"),
                    show_quantity(dot.intensity), show_share(roof_.share(cost)), show_duration(cost.ns));
    const std::string drawn = fmt::format(
        "<title>{}</title><circle cx=\"{:.2f}%\" cy=\"{:.2f}%\" r=\"{:.1f}\"/>", told, x_.at(dot.intensity),
        100 - y_.at(dot.rate), std::max(kLeastRadius, kWholeRadius * std::sqrt(share)));
    const char* const kind = dot.intensity < roof_.ridge() ? "dot by-memory" : "dot by-compute";
    if (trace_.sites[index(line.site)].hide)
      return fmt::format("<g class=\"{}\" role=\"img\" aria-label=\"{}\">{}</g>", kind, told, drawn);
    return line_link(line.source, line.line, false, drawn,
                     fmt::format(" class=\"{}\" aria-label=\"{}\"", kind, told));
  }

  std::string caption() const {
    std::string text = fmt::format(
        "Of {}, {} are of lines to the left of the ridge at {} FLOP per byte, which memory bounds, and {} of "
        "lines to its right, which compute bounds. ",
        show_quantity(flops_, "FLOP"), show_share(below_ridge_ / flops_), show_quantity(roof_.ridge()),
        show_share(1 - below_ridge_ / flops_));
    text +=
        roof_.device == "cpu"
            ? "The peak is that of the processor's units at the clock that the kernel tells, in the cores "
              "that the threads occupy; "
            : "The peak is the data sheet's; ";
    text += roof_.measured ? "the bandwidth was measured as the run began. " : "so is the bandwidth. ";
    text += "Dots above the roof worked in caches, or faster than that clock.";
    if (dots_.size() < all_)
      text += fmt::format(" The {} of {} lines that took longest are drawn.", dots_.size(), all_);
    if (account_.devices.size() > 1) {
      text += fmt::format(
          " Steps are recorded without the device that they ran on: all of them stand under the roof of {}.",
          roof_.device);
    }
    return text;
  }

  const Trace& trace_;
  const CostAccount& account_;
  Roof roof_;
  std::vector<LineCost> lines_;
  std::vector<Dot> dots_;  // what took longest first
  std::size_t all_ = 0;
  double flops_ = 0, below_ridge_ = 0;
  Axis x_{}, y_{};
};

}  // namespace

std::string cost_roofline(const Trace& trace, const CostAccount& account) {
  std::optional<Roof> roof = run_roof(trace, account);
  return roof ? RooflineWriter(trace, account, std::move(*roof)).run() : std::string();
}

}  // namespace lectern
