#include "figures.h"

#include <array>
#include <tuple>

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
  const char* const head = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)";
  return fmt::format(fmt::runtime(head), width, height) + "\n" + kStyle + content + "</svg>\n";
}

std::string box(int x, int y, int width, int height, const std::string& kind) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", kind, x, y, width, height) + "\n";
}

std::string label(int x, int y, const std::string& kind, const std::string& words) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y, words) + "\n";
}

}  // namespace

// @stepover
Drawing bit_layouts() {
  constexpr int kBit = 9, kRow = 40, kLeft = 122;
  std::string content;
  int y = 30;
  const auto bits = [&](int first, int count, const std::string& kind) {
    for (int i = 0; i < count; ++i) {
      content += box(kLeft + (first + i) * kBit, y, kBit - 1, 20, kind);
    }
  };
  for (const auto& [at, kind, words] :
       {std::tuple{0, "sign", "sign"}, {60, "exponent", "exponent"}, {150, "mantissa", "mantissa"}}) {
    content += box(kLeft + at, 6, kBit - 1, 12, kind) + label(kLeft + at + 14, 17, "label", words);
  }
  for (const Dtype dtype : {float64, float32, bfloat16, float16, float8_e4m3fn, float8_e5m2}) {
    const FloatInfo info = finfo(dtype);
    content += label(0, y + 15, "mono", std::string(name(dtype)));
    bits(0, 1, "sign");
    bits(1, info.exponent_bits, "exponent");
    bits(1 + info.exponent_bits, info.mantissa_bits, "mantissa");
    y += kRow - 8;
  }
  return {"bit_layouts.svg", drawing(kLeft + 64 * kBit + 2, y, content)};
}

// @stepover
Drawing strides_of(const Tensor& matrix) {
  constexpr int kCell = 36, kGap = 56;
  const auto rows = static_cast<int>(matrix.size(0));
  const auto columns = static_cast<int>(matrix.size(1));
  const int width = rows * columns * kCell + 2;
  const int left = (width - columns * kCell) / 2;
  const int below = 24 + rows * kCell + kGap;
  std::string content = label(0, 14, "label", "what one sees") + label(0, below - 10, "label", "what is there");
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<int>(r * matrix.stride(0) + c * matrix.stride(1));
      const std::string words = fmt::format("{:g}", matrix[r][c].item<double>());
      const std::string kind = fmt::format("row{}", r % 4);
      for (const auto& [x, y] : {std::pair{left + c * kCell, 24 + r * kCell}, {at * kCell, below}}) {
        content += box(x + 1, y, kCell - 2, kCell - 2, kind) + label(x + kCell / 2, y + 22, "mono middle", words);
      }
    }
  }
  const int arrows = below + kCell + 8;
  const auto arrow = [&](int cells, int y, const std::string& words) {
    const int from = kCell / 2, to = from + cells * kCell;
    content += fmt::format(R"(<path class="arrow" d="M{0} {2}v8H{1}v-6m-4 4l4 -5l4 5"/>)", from, to, y) + "\n" +
               label(to + 10, y + 12, "label", words);
  };
  arrow(static_cast<int>(matrix.stride(1)), arrows, fmt::format("stride(1) = {}: one to the right", matrix.stride(1)));
  arrow(static_cast<int>(matrix.stride(0)), arrows + 22, fmt::format("stride(0) = {}: one down", matrix.stride(0)));
  return {"strides.svg", drawing(width, arrows + 44, content)};
}

// @stepover
Drawing windows_of(const Tensor& data, const Tensor& batch) {
  constexpr int kCell = 40, kRow = 52;
  std::string content;
  const auto cells = [&](const Tensor& numbers, int y, const std::string& kind) {
    for (const Tensor number : numbers) {
      const int value = number.item(), x = (value - 1) * kCell;
      content += box(x + 1, y, kCell - 2, kCell - 2, kind) +
                 label(x + kCell / 2, y + 24, "mono middle", fmt::format("{}", value));
    }
  };
  cells(data, 2, "cell");
  int y = 2 + kRow;
  for (int b = 0; b < batch.size(0); ++b, y += kRow - 8) cells(batch[b], y, fmt::format("row{}", b % 4));
  return {"windows.svg", drawing(static_cast<int>(data.size(0)) * kCell + 2, y, content)};
}
