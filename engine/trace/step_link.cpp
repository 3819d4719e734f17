#include "trace/step_link.h"

#include <string_view>

#include <fmt/format.h>

namespace lectern {
namespace {

/// As encodeURIComponent does.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace

std::string step_link(const Trace& trace, const std::vector<std::string>& identities,
                      const std::vector<Pass>& passes, int step) {
  const Step& at = trace.steps[index(step)];
  const Pass& pass = passes[index(step)];
  return fmt::format("#step={}/{}.{}{}@{}", percent_encoded(identities[index(at.site)]), pass.execution,
                     pass.activation, at.after ? "+" : "", step + 1);
}

}  // namespace lectern
