#include "trace/cost_text.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace lectern {

std::string show_duration(std::int64_t ns, std::string_view micro) {
  const auto time = static_cast<double>(ns);
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (ns < 999'500) return fmt::format("{:.3g} {}", time / 1e3, micro);
  if (ns < 999'500'000) return fmt::format("{:.3g} ms", time / 1e6);
  return time < 999.5e9 ? fmt::format("{:.3g} s", time / 1e9) : fmt::format("{:.0f} s", time / 1e9);
}

std::string show_quantity(double count, std::string_view unit) {
  constexpr std::array<const char*, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (std::abs(count) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    count /= 1000;
    ++prefix;
  }
  const std::string number =
      std::abs(count) >= 999.5 ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}", count);
  const std::string prefixed = kPrefixes[prefix] + std::string(unit);
  return prefixed.empty() ? number : number + " " + prefixed;
}

std::string show_share(double share) {
  const double percent = 100 * share;
  return percent > 0 && percent < 0.95 ? fmt::format("{:.1g}%", percent) : fmt::format("{:.0f}%", percent);
}

std::string show_cost(const Cost& cost) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (cost.ns > 0) add(show_duration(cost.ns));
  if (cost.flops > 0) add(show_quantity(static_cast<double>(cost.flops), "FLOP"));
  if (cost.bytes > 0) add(show_quantity(static_cast<double>(cost.bytes), "B") + " moved");
  return text;
}

}  // namespace lectern
