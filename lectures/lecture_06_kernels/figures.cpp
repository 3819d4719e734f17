#include "figures.h"

#include "warps.h"

namespace {

// Eight colours for banks and lanes, in the light and the dark theme.
constexpr const char* kColours = R"(<style>
text{font-family:Inter,"Helvetica Neue",Arial,sans-serif;font-size:13px;fill:#2b2c30}
.middle{text-anchor:middle}.mono{font-family:"JetBrains Mono",Menlo,Consolas,monospace}
.label{fill:#6a6e78}
.idle{fill:#f4f2ec;stroke:#b3b0a8}.asked{fill:#7d95dc;stroke:#4d68b8}.sector{fill:none;stroke:#6a6e78;stroke-width:1.5}
.b0{fill:#dbe4fb}.b1{fill:#d9efe1}.b2{fill:#f8e6cc}.b3{fill:#eee9f7}.b4{fill:#f2c9c2}.b5{fill:#cdeaf0}.b6{fill:#e9edb8}
.b7{fill:#e2e2e2}.pad{fill:none;stroke-dasharray:3 3}.cell{stroke:#8a8e98}
@media (prefers-color-scheme:dark){
text{fill:#eceae5}.label{fill:#8f939d}
.idle{fill:#33353b;stroke:#73767e}.asked{fill:#7d95dc;stroke:#a9bbee}.sector{stroke:#8f939d}
.b0{fill:#2a3660}.b1{fill:#1f4431}.b2{fill:#54381a}.b3{fill:#3d3158}.b4{fill:#5a2e27}.b5{fill:#1d4a54}.b6{fill:#484c18}
.b7{fill:#4a4a4a}.pad{fill:none}
}
</style>
)";

std::string drawn(int width, int height, const std::string& content) {
  const char* const head = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)";
  return fmt::format(fmt::runtime(head), width, height) + "\n" + kColours + content + "</svg>\n";
}

std::string cell(int x, int y, int width, int height, const std::string& kind) {
  return fmt::format(R"(<rect class="{}" x="{}" y="{}" width="{}" height="{}"/>)", kind, x, y, width, height) + "\n";
}

std::string words(int x, int y, const std::string& kind, const std::string& text) {
  return fmt::format(R"(<text class="{}" x="{}" y="{}">{}</text>)", kind, x, y, text) + "\n";
}

}  // namespace

// @stepover
Drawing sectors_of_strides(const std::vector<int64_t>& strides) {
  constexpr int kFloat = 5, kGap = 4, kInSector = 8, kRow = 46;
  int width = 0, y = 0;
  std::string content;
  for (const int64_t stride : strides) {
    const int sectors = static_cast<int>(count_sectors(of_lanes(0, 4 * stride)));
    content += words(0, y + 13, "label", fmt::format("stride {}: {} sectors, {} bytes", stride, sectors, 32 * sectors));
    for (int number = 0; number < sectors * kInSector; ++number) {
      const int x = 1 + number * kFloat + number / kInSector * kGap;
      const bool is_asked = number % stride == 0;
      content += cell(x, y + 19, kFloat, 16, is_asked ? "asked" : "idle");
      width = std::max(width, x + kFloat + 1);
    }
    y += kRow;
  }
  return {"sectors.svg", drawn(width, y, content)};
}

// @stepover
Drawing banks_of_tile(int side) {
  constexpr int kCell = 28;
  std::string content;
  const auto tile = [&](int left, int pitch) {
    content += words(left, 14, "label", fmt::format("pitch {}", pitch));
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < pitch; ++column) {
        const int bank = (row * pitch + column) % side, x = left + column * kCell, y = 22 + row * kCell;
        if (column >= side) {
          content += cell(x, y, kCell, kCell, "cell pad");
          continue;
        }
        content += cell(x, y, kCell, kCell, fmt::format("cell b{}", bank % 8));
        content += words(x + kCell / 2, y + 19, "mono middle", fmt::format("{}", bank));
      }
    }
  };
  tile(1, side);
  tile(side * kCell + 40, side + 1);
  return {"banks.svg", drawn((2 * side + 1) * kCell + 42, side * kCell + 24, content)};
}

// @stepover
Drawing lanes_of_result(const std::vector<std::vector<int>>& lanes) {
  constexpr int kWidth = 40, kHeight = 22;
  std::string content;
  int y = 1;
  for (const std::vector<int>& row : lanes) {
    int x = 1;
    for (const int lane : row) {
      content += cell(x, y, kWidth, kHeight, fmt::format("cell b{}", lane % 8));
      content += words(x + kWidth / 2, y + 16, "mono middle", fmt::format("{}", lane));
      x += kWidth;
    }
    y += kHeight;
  }
  return {"lanes.svg", drawn(static_cast<int>(lanes[0].size()) * kWidth + 2, y + 1, content)};
}
