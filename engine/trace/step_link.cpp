#include "trace/step_link.h"

#include <string_view>

namespace lectern {
namespace {

/// As encodeURIComponent does.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      const auto code = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[code >> 4U], kDigits[code & 15U]};
    }
  }
  return encoded;
}

}  // namespace

std::string step_link(const Trace& trace, const std::vector<std::string>& identities,
                      const std::vector<Pass>& passes, int step) {
  const auto number = static_cast<std::size_t>(step);
  const Step& at = trace.steps[number];
  const Pass& pass = passes[number];
  return "#step=" + percent_encoded(identities[static_cast<std::size_t>(at.site)]) + "/" +
         std::to_string(pass.execution) + "." + std::to_string(pass.activation) + (at.after ? "+" : "") +
         "@" + std::to_string(step + 1);
}

}  // namespace lectern
