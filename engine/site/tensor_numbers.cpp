#include "site/tensor_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/number_text.h"
#include "site/numbers.h"

namespace lectern {
namespace {

constexpr int kExactDecimals = 4;  // numbers with no more are shown exactly
constexpr double kLargeFrom = 1e6;
constexpr double kSmallBelow = 1e-3;

/// Digits after the point of the shortest text; -1 when it has an exponent.
int decimals_of(double value) {
  const std::string text = number_text(value);
  if (text.find('e') != std::string::npos) return -1;
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

std::string with_minus(std::string text) {
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

std::string scientific_text(double value, int decimals = 2) {
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  return with_minus(text.substr(0, e)) + "e" + with_minus(std::to_string(std::stoi(text.substr(e + 1))));
}

}  // namespace

TensorNumbers::TensorNumbers(const std::vector<const Json*>& numbers) {
  double largest = 0;
  bool few = true;
  for (const Json* const number : numbers) {
    const double value = finite(*number);
    if (!number->is_number_float() || std::isnan(value)) continue;
    largest = std::max(largest, std::fabs(value));
    const int decimals = decimals_of(value);
    few = few && decimals >= 0 && decimals <= kExactDecimals;
    decimals_ = std::max(decimals_, decimals);
  }
  if (few && largest < kLargeFrom) return;
  scientific_ = largest >= kLargeFrom || largest < kSmallBelow;
  decimals_ = scientific_ ? 0 : std::max(0, 2 - static_cast<int>(std::floor(std::log10(largest))));
}

bool TensorNumbers::is_number(const Json& json) {
  if (json.is_number() || json.is_boolean()) return true;
  if (!json.is_object()) return false;
  const auto special = json.find("float");
  return special != json.end() && (*special == "nan" || *special == "inf" || *special == "-inf");
}

double TensorNumbers::finite(const Json& json) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (!json.is_number()) return kNone;
  const auto value = json.get<double>();
  return std::isfinite(value) ? value : kNone;
}

std::string TensorNumbers::real_text(double value) const {
  if (value != 0) {
    if (scientific_) return scientific_text(value);
    if (std::fabs(value) < 0.5 * std::pow(10, -decimals_)) return scientific_text(value, 0);
  }
  return with_minus(fmt::format("{:.{}f}", value, scientific_ ? 0 : decimals_));
}

std::string TensorNumbers::text(const Json& number) const {
  if (number.is_boolean()) return number.get<bool>() ? "true" : "false";
  if (number.is_number_unsigned()) return show_number(number.get<std::uint64_t>()).text;
  if (number.is_number_integer()) return show_number(number.get<std::int64_t>()).text;
  if (number.is_number_float()) {
    const auto value = number.get<double>();
    return std::isfinite(value) ? real_text(value) : show_number(value).text;
  }
  const Json& special = number["float"];
  return special == "nan" ? "NaN" : special == "inf" ? "\u221E" : "\u2212\u221E";
}

std::string TensorNumbers::exact(const Json& number) const {
  if (number.is_number_unsigned()) return show_number(number.get<std::uint64_t>()).exact;
  if (number.is_number_integer()) return show_number(number.get<std::int64_t>()).exact;
  if (!number.is_number_float()) return {};
  const auto value = number.get<double>();
  const int decimals = decimals_of(value);
  const bool all_digits = !scientific_ && decimals >= 0 && decimals <= decimals_;
  return all_digits || value == 0 ? std::string() : number_text(value);
}

std::uint64_t count_field(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return 0;
  if (found->is_number_unsigned()) return found->get<std::uint64_t>();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->get<std::int64_t>()));
}

std::string show_figure(double value) {
  const double magnitude = std::fabs(value);
  if (value == std::trunc(value) && magnitude < kLargeFrom) return with_minus(fmt::format("{:.0f}", value));
  if (magnitude >= kLargeFrom || magnitude < kSmallBelow) return scientific_text(value);
  return with_minus(
      fmt::format("{:.{}f}", value, std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))))));
}

TensorFigures TensorFigures::of(const std::vector<const Json*>& numbers) {
  TensorFigures figures;
  double count = 0, squares = 0;
  for (const Json* const number : numbers) {
    const double value = TensorNumbers::finite(*number);
    if (std::isnan(value)) {
      ++(number->is_object() && (*number)["float"] == "nan" ? figures.nan : figures.inf);
      continue;
    }
    figures.min = figures.known ? std::min(figures.min, value) : value;
    figures.max = figures.known ? std::max(figures.max, value) : value;
    figures.known = true;
    const double distance = value - figures.mean;
    figures.mean += distance / ++count;
    squares += distance * (value - figures.mean);
  }
  figures.has_std = count > 1;
  if (figures.has_std) figures.std = std::sqrt(squares / (count - 1));
  return figures;
}

TensorFigures TensorFigures::read(const Json& stats) {
  TensorFigures figures;
  const auto real = [&](const char* name, double& value) {
    const auto found = stats.find(name);
    if (found == stats.end()) return false;
    value = TensorNumbers::finite(*found);
    return !std::isnan(value);
  };
  if (!stats.is_object()) return figures;
  figures.known = real("min", figures.min) && real("max", figures.max) && real("mean", figures.mean);
  figures.has_std = real("std", figures.std);
  figures.nan = count_field(stats, "nan");
  figures.inf = count_field(stats, "inf");
  return figures;
}

}  // namespace lectern
