#include "figures.h"

#include <array>

namespace {

// A colour for each of four ranks or layers, of forward and backward passes; in the light and the dark theme.
constexpr const char* kRankStyle = R"(<style>
text{font-family:Inter,"Helvetica Neue",Arial,sans-serif;font-size:13px;fill:#2b2c30}
.middle{text-anchor:middle}.end{text-anchor:end}.label{fill:#6a6e78}.small{font-size:11px}
.axis{stroke:#b3b0a8;fill:none}.none{fill:none;stroke:#b3b0a8;stroke-dasharray:2 3}
.r0{fill:#dbe4fb;stroke:#7d95dc}.r1{fill:#f8e6cc;stroke:#d3a05a}
.r2{fill:#d9efe1;stroke:#6db088}.r3{fill:#eee9f7;stroke:#a48fcb}
.sum{fill:#2b2c30;stroke:#2b2c30}.onsum{fill:#fff}
.forward{fill:#dbe4fb;stroke:#7d95dc}.backward{fill:#f8e6cc;stroke:#d3a05a}
@media (prefers-color-scheme:dark){
text{fill:#eceae5}.label{fill:#8f939d}.axis{stroke:#73767e}.none{stroke:#73767e}
.r0{fill:#2a3660;stroke:#7d95dc}.r1{fill:#54381a;stroke:#d3a05a}
.r2{fill:#1f4431;stroke:#6db088}.r3{fill:#3d3158;stroke:#a48fcb}
.sum{fill:#d8d5cd;stroke:#d8d5cd}.onsum{fill:#1d1e21}
.forward{fill:#2a3660;stroke:#7d95dc}.backward{fill:#54381a;stroke:#d3a05a}
}
</style>
)";

std::string in_svg(double width, double height, const std::string& content) {
  const char* const head =
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}">)";
  return fmt::format(fmt::runtime(head), width, height) + "\n" + kRankStyle + content + "</svg>\n";
}

std::string box(double x, double y, double width, double height, const std::string& kind) {
  return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", kind, x, y, width,
                     height) +
         "\n";
}

std::string label(double x, double y, const std::string& kind, const std::string& text) {
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", kind, x, y, text) + "\n";
}

// What a rank has in each of four places: '0' to '3' whose data it is, 'S' a sum over the ranks, ' ' nothing.
using Held = std::array<std::string, 4>;

struct Diagram {
  std::string name;
  Held before, after;
};

std::string grid(double left, double top, const Held& held) {
  constexpr double kCell = 17;
  std::string out;
  for (std::size_t rank = 0; rank < held.size(); ++rank) {
    for (std::size_t place = 0; place < held[rank].size(); ++place) {
      const char what = held[rank][place];
      const double x = left + kCell * static_cast<double>(place), y = top + (kCell + 3) * static_cast<double>(rank);
      out += box(x, y, kCell - 2, kCell - 2, what == ' ' ? "none" : what == 'S' ? "sum" : fmt::format("r{}", what));
      if (what == 'S') out += label(x + kCell / 2 - 1, y + 12, "small middle onsum", "Σ");
    }
  }
  return out;
}

}  // namespace

// @stepover
Drawing what_collectives_do() {
  const Held own{"0000", "1111", "2222", "3333"}, first{"0000", "    ", "    ", "    "};
  const Held parts{"0   ", " 1  ", "  2 ", "   3"}, scattered{"0   ", " 0  ", "  0 ", "   0"};
  const Diagram diagrams[] = {
      {"broadcast", first, {"0000", "0000", "0000", "0000"}}, {"scatter", first, scattered},
      {"gather", parts, {"0123", "    ", "    ", "    "}},    {"all_gather", parts, {"0123", "0123", "0123", "0123"}},
      {"reduce", own, {"SSSS", "    ", "    ", "    "}},      {"reduce_scatter", own, {"S   ", " S  ", "  S ", "   S"}},
      {"all_reduce", own, {"SSSS", "SSSS", "SSSS", "SSSS"}},  {"all_to_all", own, {"0123", "0123", "0123", "0123"}},
  };
  constexpr double kColumn = 176, kRow = 122;
  std::string content;
  for (std::size_t i = 0; i < std::size(diagrams); ++i) {
    const double x = kColumn * static_cast<double>(i % 4) + 1, y = kRow * static_cast<double>(i / 4);
    content += label(x, y + 14, "", diagrams[i].name) + grid(x, y + 24, diagrams[i].before) +
               label(x + 76, y + 66, "label middle", "→") + grid(x + 86, y + 24, diagrams[i].after);
  }
  return {"collectives.svg", in_svg(4 * kColumn - 16, 2 * kRow - 14, content)};
}

// @stepover
Drawing timetables(const std::vector<std::pair<std::string, Timetable>>& each) {
  constexpr double kLeft = 62, kAcross = 690, kRow = 26;
  std::string content;
  double y = 0;
  for (const auto& [name, times] : each) {
    content += label(0, y + 14, "", name);
    y += 22;
    const double unit = (kAcross - kLeft) / times.end;
    for (std::size_t stage = 0; stage < times.most_kept.size(); ++stage) {
      const double top = y + kRow * static_cast<double>(stage);
      content += label(0, top + 16, "label", fmt::format("stage {}", stage)) +
                 box(kLeft, top, kAcross - kLeft, kRow - 4, "none");
    }
    for (const TimedPass& pass : times.passes) {
      const double x = kLeft + unit * pass.from, width = unit * (pass.to - pass.from), top = y + kRow * pass.stage;
      content += box(x, top, width, kRow - 4, pass.is_backward() ? "backward" : "forward") +
                 label(x + width / 2, top + 15, "small middle", std::to_string(pass.action.microbatch));
    }
    y += kRow * static_cast<double>(times.most_kept.size()) + 14;
  }
  return {"timetables.svg", in_svg(kAcross + 1, y, content)};
}

// @stepover
Drawing spans_over_time(const std::vector<TimedSpan>& spans) {
  constexpr double kLeft = 150, kAcross = 690, kRow = 30;
  double end = 0;
  std::vector<std::string> rows;
  for (const TimedSpan& span : spans) {
    end = std::max(end, span.to);
    if (std::find(rows.begin(), rows.end(), span.row) == rows.end()) rows.push_back(span.row);
  }
  const double unit = (kAcross - kLeft) / end;
  std::string content;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    content += label(0, kRow * static_cast<double>(i) + 17, "label", rows[i]) +
               box(kLeft, kRow * static_cast<double>(i), kAcross - kLeft, kRow - 6, "none");
  }
  for (const TimedSpan& span : spans) {
    const double y = kRow * static_cast<double>(std::find(rows.begin(), rows.end(), span.row) - rows.begin());
    const double x = kLeft + unit * span.from, width = std::max(1., unit * (span.to - span.from));
    content += box(x, y, width, kRow - 6, fmt::format("r{}", span.layer % 4));
    if (width > 14) content += label(x + width / 2, y + 16, "small middle", std::to_string(span.layer));
  }
  const double bottom = kRow * static_cast<double>(rows.size());
  content += label(kLeft, bottom + 14, "label", "0") +
             label(kAcross, bottom + 14, "label end", fmt::format("{:.2f} ms", 1e3 * end));
  return {"spans.svg", in_svg(kAcross + 1, bottom + 20, content)};
}
