#include "figures.h"

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

using namespace lectern;

namespace {

// Colours of the three kinds of bits, and of rows, in the light and the dark theme.
constexpr const char* kStyle = R"(<style>
text{font-family:Inter,"Helvetica Neue",Arial,sans-serif;font-size:13px;fill:#2b2c30}
.mono{font-family:"JetBrains Mono",Menlo,Consolas,monospace}
.middle{text-anchor:middle}
.label{fill:#6a6e78}
.arrow{stroke:#6a6e78;fill:none;stroke-width:1.3}
.sign{fill:#f2c9c2;stroke:#c9786a}.exponent{fill:#dbe4fb;stroke:#7d95dc}
.mantissa{fill:#d9efe1;stroke:#6db088}.cell{fill:#f4f2ec;stroke:#b3b0a8}
.row0{fill:#dbe4fb;stroke:#7d95dc}.row1{fill:#d9efe1;stroke:#6db088}
.row2{fill:#f8e6cc;stroke:#d3a05a}.row3{fill:#eee9f7;stroke:#a48fcb}
@media (prefers-color-scheme:dark){
text{fill:#eceae5}.label{fill:#8f939d}.arrow{stroke:#8f939d}
.sign{fill:#5a2e27;stroke:#c9786a}.exponent{fill:#2a3660;stroke:#7d95dc}
.mantissa{fill:#1f4431;stroke:#6db088}.cell{fill:#33353b;stroke:#73767e}
.row0{fill:#2a3660;stroke:#7d95dc}.row1{fill:#1f4431;stroke:#6db088}
.row2{fill:#54381a;stroke:#d3a05a}.row3{fill:#3d3158;stroke:#a48fcb}
}
</style>
)";

std::string drawing(int width, int height, const std::string& content) {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">
)",
             width, height) +
         kStyle + content + "</svg>\n";
}

std::string box(int x, int y, int width, int height, const std::string& kind) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>
)",
                     kind, x, y, width, height);
}

std::string label(int x, int y, const std::string& kind, const std::string& words) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>
)",
                     kind, x, y, words);
}

std::string number(double value) {
  return fmt::format("{:g}", value);
}

}  // namespace

Drawing bit_layouts() {
  constexpr int kBit = 9, kRow = 40, kLeft = 122;
  std::string content;
  int y = 30;
  const auto bits = [&](int first, int count, const std::string& kind) {
    for (int i = 0; i < count; ++i) {
      content += box(kLeft + (first + i) * kBit, y, kBit - 1, 20, kind);
    }
  };
  for (const auto& [at, kind, words] : {std::tuple{0, "sign", "sign"},
                                        {60, "exponent", "exponent"},
                                        {150, "mantissa", "mantissa"}}) {
    content += box(kLeft + at, 6, kBit - 1, 12, kind) +
               label(kLeft + at + 14, 17, "label", words);
  }
  for (const Dtype dtype :
       {float64, float32, bfloat16, float16, float8_e4m3fn, float8_e5m2}) {
    const FloatInfo info = finfo(dtype);
    content += label(0, y + 15, "mono", std::string(name(dtype)));
    bits(0, 1, "sign");
    bits(1, info.exponent_bits, "exponent");
    bits(1 + info.exponent_bits, info.mantissa_bits, "mantissa");
    y += kRow - 8;
  }
  return {"bit_layouts.svg", drawing(kLeft + 64 * kBit + 2, y, content)};
}

Drawing strides_of(const Tensor& matrix) {
  constexpr int kCell = 36, kGap = 56;
  const auto rows = static_cast<int>(matrix.size(0));
  const auto columns = static_cast<int>(matrix.size(1));
  const int width = rows * columns * kCell + 2;
  const int left = (width - columns * kCell) / 2;
  const int below = 24 + rows * kCell + kGap;
  std::string content = label(0, 14, "label", "what one sees") +
                        label(0, below - 10, "label", "what is there");
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<int>(r * matrix.stride(0) + c * matrix.stride(1));
      const std::string words = number(matrix[r][c].item<double>());
      const std::string kind = fmt::format("row{}", r % 4);
      for (const auto& [x, y] :
           {std::pair{left + c * kCell, 24 + r * kCell}, {at * kCell, below}}) {
        content += box(x + 1, y, kCell - 2, kCell - 2, kind) +
                   label(x + kCell / 2, y + 22, "mono middle", words);
      }
    }
  }
  const int arrows = below + kCell + 8;
  const auto arrow = [&](int cells, int y, const std::string& words) {
    const int from = kCell / 2, to = from + cells * kCell;
    content +=
        fmt::format(R"(<path class="arrow" d="M{0} {2}v8H{1}v-6m-4 4l4 -5l4 5"/>
)",
                    from, to, y) +
        label(to + 10, y + 12, "label", words);
  };
  arrow(static_cast<int>(matrix.stride(1)), arrows,
        fmt::format("stride(1) = {}: one to the right", matrix.stride(1)));
  arrow(static_cast<int>(matrix.stride(0)), arrows + 22,
        fmt::format("stride(0) = {}: one down", matrix.stride(0)));
  return {"strides.svg", drawing(width, arrows + 44, content)};
}

namespace {

// A multiplication and an addition, and their colour.
struct Pass {
  const char* words;
  const char* kind;
  std::array<const char*, 2> steps;
};
constexpr std::array<Pass, 3> kPasses = {{
    {"forward", "row0", {"h₁ · w", "h₂ += …"}},
    {"to the weight", "row1", {"h₁ · ∂h₂", "∂w += …"}},
    {"to the input", "row2", {"w · ∂h₂", "∂h₁ += …"}},
}};
constexpr int kSteps = 2 * kPasses.size();
constexpr int kSecondsPerStep = 2, kRounds = 3;

// The step's box is lit for its sixth of a round; a pass's dot runs through its
// third.
std::string six_steps_style() {
  std::string style =
      "<style>.lit{fill:none;stroke:#2b2c30;stroke-width:2.5;opacity:0}"
      ".dot{stroke-width:2;opacity:0}.thin{stroke:#b3b0a8;fill:none}"
      "@media "
      "(prefers-color-scheme:dark){.lit{stroke:#eceae5}.thin{stroke:#55585f}}\n";
  constexpr int kSeconds = kSecondsPerStep * kSteps;
  const auto animate = [&](const std::string& name, double from, double to,
                           const std::string& begin, const std::string& end) {
    const double last = to - 0.01;
    style += fmt::format(
        "@keyframes "
        "{0}{{0%{{opacity:0}}{1:.2f}%{{opacity:0}}{2:.2f}%{{opacity:1;transform:{5}}}"
        "{3:.2f}%{{opacity:1;transform:{6}}}{4:.2f}%{{opacity:0}}100%{{opacity:0}}}}"
        "\n"
        ".{0}{{animation:{0} {7}s linear {8}}}\n",
        name, from, from + 0.01, last, to, begin, end, kSeconds, kRounds);
  };
  constexpr double kShare = 100. / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    animate(fmt::format("step{}", i + 1), kShare * i, kShare * (i + 1), "none",
            "none");
  }
  animate("pass1", 0, 2 * kShare, "none", "translateX(280px)");
  animate("pass2", 2 * kShare, 4 * kShare, "none", "translateX(-140px)");
  animate("pass3", 4 * kShare, 100, "none", "translateX(-280px)");
  return style +
         "@media "
         "print,(prefers-reduced-motion:reduce){.lit,.dot{animation:none}}</style>\n";
}

}  // namespace

Drawing six_steps_of_a_weight() {
  constexpr int kWidth = 464, kLeft = 90, kRight = 370,
                kMiddle = (kLeft + kRight) / 2;
  constexpr int kY = 106, kUnits = 58, kBox = 148, kHeight = 46, kGap = 8, kTop = 220;
  std::string content = six_steps_style();
  const auto line = [&](const char* kind, int from, int to) {
    content += fmt::format(R"(<path class="{}" d="M{} {}L{} {}"/>
)",
                           kind, kLeft, from, kRight, to);
  };
  const auto circle = [&](const std::string& kind, int x, int y, int radius) {
    content += fmt::format(R"(<circle class="{}" cx="{}" cy="{}" r="{}"/>
)",
                           kind, x, y, radius);
  };
  const std::array rows = {kY - kUnits, kY, kY + kUnits};
  for (const int from : rows) {
    for (const int to : rows)
      line(from == kY && to == kY ? "arrow" : "thin", from, to);
  }
  for (const int x : {kLeft, kRight}) {
    for (const int y : rows) circle(y == kY ? "row3" : "cell", x, y, 22);
  }
  content += label(kLeft, 16, "label middle", "before the layer") +
             label(kRight, 16, "label middle", "after it") +
             label(kLeft, kY + 5, "mono middle", "h₁") +
             label(kRight, kY + 5, "mono middle", "h₂") +
             box(kMiddle - 20, kY - 15, 40, 30, "row3") +
             label(kMiddle, kY + 5, "mono middle", "w");
  for (std::size_t pass = 0; pass < kPasses.size(); ++pass) {
    const auto& [words, kind, steps] = kPasses[pass];
    const int x = 1 + static_cast<int>(pass) * (kBox + kGap);
    circle(fmt::format("dot {} pass{}", kind, pass + 1), pass == 0 ? kLeft : kRight,
           kY, 9);
    content +=
        label(x + kBox / 2, kTop - 12, "middle", fmt::format("{}: 2 FLOPs", words));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const int y = kTop + static_cast<int>(i) * (kHeight + kGap);
      const std::size_t number = steps.size() * pass + i + 1;
      content += box(x, y, kBox, kHeight, kind) +
                 box(x, y, kBox, kHeight, fmt::format("lit step{}", number)) +
                 label(x + kBox / 2, y + 19, "mono middle", steps[i]) +
                 label(x + kBox / 2, y + 37, "label middle",
                       fmt::format("{}: {}", number, i == 0 ? "multiply" : "add"));
    }
  }
  return {"six_steps.svg", drawing(kWidth, kTop + 2 * kHeight + kGap + 4, content)};
}

Drawing windows_of(const Tensor& data, const Tensor& batch) {
  constexpr int kCell = 40, kRow = 52;
  std::string content;
  const auto cells = [&](const Tensor& numbers, int y, const std::string& kind) {
    for (std::int64_t i = 0; i < numbers.size(0); ++i) {
      const auto value = numbers[i].item<std::int64_t>();
      const int x = static_cast<int>(value - 1) * kCell;
      content +=
          box(x + 1, y, kCell - 2, kCell - 2, kind) +
          label(x + kCell / 2, y + 24, "mono middle", fmt::format("{}", value));
    }
  };
  cells(data, 2, "cell");
  int y = 2 + kRow;
  for (std::int64_t b = 0; b < batch.size(0); ++b, y += kRow - 8) {
    cells(batch[b], y, fmt::format("row{}", b % 4));
  }
  return {"windows.svg",
          drawing(static_cast<int>(data.size(0)) * kCell + 2, y, content)};
}
