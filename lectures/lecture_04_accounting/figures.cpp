#include "figures.h"

#include <array>

namespace {

// The colours of what memory serves, in the light and the dark theme.
constexpr const char* kAreaStyle = R"(<style>
text{font-family:Inter,"Helvetica Neue",Arial,sans-serif;font-size:13px;fill:#2b2c30}
.end{text-anchor:end}.middle{text-anchor:middle}.label{fill:#6a6e78}
.axis{stroke:#b3b0a8;fill:none}.limit{stroke:#b3462f;fill:none;stroke-width:1.6;stroke-dasharray:5 4}
.c0{fill:#dbe4fb;stroke:#7d95dc}.c1{fill:#f8e6cc;stroke:#d3a05a}
.c2{fill:#eee9f7;stroke:#a48fcb}.c3{fill:#d9efe1;stroke:#6db088}
.c4{fill:#f4f2ec;stroke:#b3b0a8}
@media (prefers-color-scheme:dark){
text{fill:#eceae5}.label{fill:#8f939d}.axis{stroke:#73767e}.limit{stroke:#e08a78}
.c0{fill:#2a3660;stroke:#7d95dc}.c1{fill:#54381a;stroke:#d3a05a}
.c2{fill:#3d3158;stroke:#a48fcb}.c3{fill:#1f4431;stroke:#6db088}
.c4{fill:#33353b;stroke:#73767e}
}
</style>
)";

constexpr std::array kShown = {MemoryCategory::parameter, MemoryCategory::optimizer, MemoryCategory::gradient,
                               MemoryCategory::activation, MemoryCategory::temporary};
constexpr std::array kColors = {"c0", "c2", "c1", "c3", "c4"};

std::string svg(int width, int height, const std::string& content) {
  const char* const head = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)";
  return fmt::format(fmt::runtime(head), width, height) + "\n" + kAreaStyle + content + "</svg>\n";
}

std::string words(double x, double y, const std::string& kind, const std::string& what) {
  return fmt::format(R"(<text class="{}" x="{:.0f}" y="{:.0f}">{}</text>)", kind, x, y, what) + "\n";
}

std::string rectangle(double x, double y, double width, double height, const std::string& kind) {
  return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)", kind, x, y, width,
                     height) +
         "\n";
}

std::string path(const std::string& kind, const std::string& points) {
  return fmt::format(R"(<path class="{}" d="{}"/>)", kind, points) + "\n";
}

std::string legend(double y, std::size_t count = kShown.size()) {
  std::string out;
  double x = 56;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string called(name(kShown[i]));
    out += rectangle(x, y - 11, 14, 12, kColors[i]) + words(x + 20, y, "label", called);
    x += 46 + 7.2 * static_cast<double>(called.size());
  }
  return out;
}

}  // namespace

// @stepover
Drawing memory_curve(const std::vector<MemoryMark>& marks) {
  constexpr double kLeft = 56, kRight = 690, kTop = 40, kBottom = 270;
  double highest = 0;
  for (const MemoryMark& mark : marks) highest = std::max(highest, static_cast<double>(mark.bytes.total()));
  highest *= 1.05;
  const auto x = [&](std::size_t i) {
    return kLeft + (kRight - kLeft) * static_cast<double>(i) / static_cast<double>(marks.size() - 1);
  };
  const auto y = [&](double bytes) { return kBottom - (kBottom - kTop) * bytes / highest; };
  std::string content = legend(16);
  std::vector<double> below(marks.size(), 0);
  for (std::size_t c = 0; c < kShown.size(); ++c) {
    std::string upper, lower;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      lower = fmt::format("L{:.1f} {:.1f}", x(i), y(below[i])) + lower;
      below[i] += static_cast<double>(marks[i].bytes[kShown[c]]);
      upper += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x(i), y(below[i]));
    }
    content += path(kColors[c], upper + lower + "Z");
  }
  for (double bytes = 0; bytes < highest; bytes += 1e6) {
    content += words(kLeft - 6, y(bytes) + 4, "label end", rounded_number(bytes / 1e3));
  }
  content += path("axis", fmt::format("M{} {}V{}H{}", kLeft, kTop, kBottom, kRight));
  // Each name under the middle of the marks that bear it.
  for (std::size_t i = 0; i < marks.size();) {
    std::size_t last = i;
    while (last + 1 < marks.size() && marks[last + 1].label == marks[i].label) ++last;
    const bool first = i == 0, end = last + 1 == marks.size();
    const double row = marks[i].label == "step" || marks[i].label == "loss" ? 18 : 36;
    content += words((x(i) + x(last)) / 2, kBottom + row, first ? "" : end ? "end" : "middle", marks[i].label);
    i = last + 1;
  }
  return {"memory_curve.svg", svg(704, 316, content)};
}

// @stepover
Drawing zero_stages(double parameters, double gpus, double memory) {
  using accounting::ZeroStage;
  constexpr double kLeft = 150, kRight = 600;
  const std::pair<const char*, ZeroStage> stages[] = {{"not sharded", ZeroStage::none},
                                                      {"1: state", ZeroStage::optimizer},
                                                      {"2: gradients, too", ZeroStage::gradients},
                                                      {"3: parameters, too", ZeroStage::parameters}};
  const auto holds = [&](ZeroStage stage) {
    return accounting::training_memory(parameters, accounting::OptimizerState::adam, accounting::kMasterCopyTraining,
                                       stage, gpus);
  };
  const double scale = (kRight - kLeft) / holds(ZeroStage::none).total();
  const double limit = kLeft + scale * memory;
  std::string content = legend(16, 3);
  double y = 40;
  for (const auto& [called, stage] : stages) {
    const accounting::TrainingMemory held = holds(stage);
    content += words(0, y + 19, "", called);
    double x = kLeft;
    const double widths[] = {held.parameters, held.master + held.state, held.gradients};
    for (std::size_t i = 0; i < 3; ++i) {
      content += rectangle(x, y, scale * widths[i], 28, kColors[i]);
      x += scale * widths[i];
    }
    const double at = x + 8 < limit && x + 64 > limit ? limit : x;  // not across the line
    content += words(at + 8, y + 19, "", rounded_bytes(held.total(), 3));
    y += 42;
  }
  content += path("limit", fmt::format("M{:.1f} 34V{}", limit, y)) +
             words(limit, y + 16, "label middle", "an H100: " + rounded_bytes(memory, 3));
  return {"zero_stages.svg", svg(704, static_cast<int>(y) + 24, content)};
}
