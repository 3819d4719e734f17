#include "cli/commands/validators.h"

#include <charconv>
#include <limits>
#include <string>

namespace lectern::cli {
namespace {

CLI::Validator number_up_to(double max, const std::string& name, const std::string& remedy) {
  const auto check = [max, remedy](const std::string& text) {
    double number = -1;
    const char* const end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, number);
    const bool valid = error == std::errc() && after == end && number >= 0 && number <= max;
    return valid ? std::string() : "`" + text + "` is " + remedy;
  };
  return {check, name};
}

}  // namespace

CLI::Validator is_seconds() {
  return number_up_to(1e9, "SECONDS", "not a number of seconds; give one like 90, or 0 for no limit");
}

CLI::Validator is_tolerance() {
  return number_up_to(std::numeric_limits<double>::max(), "NUMBER",
                      "not a tolerance; give a number of at least 0, like 1e-6");
}

}  // namespace lectern::cli
