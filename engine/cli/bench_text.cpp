#include "cli/bench_text.h"

#include <algorithm>

#include <fmt/core.h>

namespace lectern::cli {
namespace {

/// Characters, not bytes.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string significant(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string time_text(double nanoseconds) {
  if (nanoseconds < 999.5) return significant(nanoseconds) + " ns";
  if (nanoseconds < 999.5e3) return significant(nanoseconds / 1e3) + " µs";
  if (nanoseconds < 999.5e6) return significant(nanoseconds / 1e6) + " ms";
  return significant(nanoseconds / 1e9) + " s";
}

std::string bandwidth_text(double bytes, double nanoseconds) {
  return significant(bytes / nanoseconds) + " GB/s";
}

std::string aligned(const std::vector<Cells>& lines, std::size_t left_first, std::size_t left_last) {
  std::string out;
  for (const Cells& line : lines) {
    std::string text;
    for (std::size_t column = 0; column < line.size(); ++column) {
      std::size_t widest = 0;
      for (auto other = lines.begin() + 1; other != lines.end(); ++other)
        widest = std::max(widest, width((*other)[column]));
      if (widest == 0) continue;
      widest = std::max(widest, width(lines.front()[column]));
      const std::string space(widest - width(line[column]), ' ');
      const bool left = column < left_first || column + left_last >= line.size();
      text += (text.empty() ? "" : "  ") + (left ? line[column] + space : space + line[column]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
  return out;
}

}  // namespace lectern::cli
