#include "trace/tensor_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/number_text.h"
#include "base/readable_numbers.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

constexpr std::size_t kMostInText = 6;  // elements of a vector
constexpr int kExactDecimals = 4;       // elements with no more are shown exactly
constexpr double kLargeFrom = 1e6;
constexpr double kSmallBelow = 1e-3;

/// Digits after the point of the shortest text; -1 when it has an exponent.
int needed_decimals(double value) {
  const std::string text = number_text(value);
  if (text.find('e') != std::string::npos) return -1;
  const std::size_t point = text.find('.');
  return point == std::string::npos ? 0 : static_cast<int>(text.size() - point) - 1;
}

/// Whether all its elements are in `data`.
bool is_whole(const form::Tensor& tensor) {
  if (!tensor.data || is_empty(tensor) || tensor.indices.empty()) return tensor.data.has_value();
  return std::equal(tensor.shape.begin(), tensor.shape.end(), tensor.indices.begin(),
                    [](std::int64_t size, const auto& positions) {
                      return static_cast<std::int64_t>(positions.size()) == size;
                    });
}

}  // namespace

std::string with_minus(std::string text) {
  return text.front() == '-' ? "\u2212" + text.substr(1) : text;
}

std::string scientific_text(double value, int decimals) {
  const std::string text = fmt::format("{:.{}e}", value, decimals);
  const std::size_t e = text.find('e');
  return with_minus(text.substr(0, e)) + "e" + with_minus(std::to_string(std::stoi(text.substr(e + 1))));
}

TensorNotation::TensorNotation(const std::vector<Element>& elements) {
  double largest = 0;
  bool few = true;
  for (const Element& element : elements) {
    const double* const value = std::get_if<double>(&element);
    if (value == nullptr || !std::isfinite(*value)) continue;
    largest = std::max(largest, std::fabs(*value));
    const int decimals = needed_decimals(*value);
    few = few && decimals >= 0 && decimals <= kExactDecimals;
    decimals_ = std::max(decimals_, decimals);
  }
  if (few && largest < kLargeFrom) return;
  scientific_ = largest >= kLargeFrom || largest < kSmallBelow;
  decimals_ = scientific_ ? 0 : std::max(0, 2 - static_cast<int>(std::floor(std::log10(largest))));
}

std::string TensorNotation::real_text(double value) const {
  if (!std::isfinite(value)) return show_number(value);
  if (value != 0) {
    if (scientific_) return scientific_text(value);
    if (std::fabs(value) < 0.5 * std::pow(10, -decimals_)) return scientific_text(value, 0);
  }
  return with_minus(fmt::format("{:.{}f}", value, scientific_ ? 0 : decimals_));
}

std::string TensorNotation::text(const Element& element) const {
  const double* const real = std::get_if<double>(&element);
  return real == nullptr ? exact_text(element) : real_text(*real);
}

std::string TensorNotation::exact(const Element& element) const {
  const double* const value = std::get_if<double>(&element);
  if (value == nullptr || !std::isfinite(*value)) return {};
  const int decimals = needed_decimals(*value);
  const bool all_digits = !scientific_ && decimals >= 0 && decimals <= decimals_;
  return all_digits || *value == 0 ? std::string() : number_text(*value);
}

bool TensorNotation::rounds(const std::vector<Element>& elements) const {
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Element& element) { return !exact(element).empty(); });
}

std::string exact_text(const Element& element) {
  if (const bool* const truth = std::get_if<bool>(&element)) return *truth ? "true" : "false";
  if (const auto* const integer = std::get_if<std::int64_t>(&element)) return show_number(*integer);
  return show_number(std::get<double>(element));
}

std::string tensor_type(const form::Tensor& tensor) {
  std::string type = tensor.dtype + " [";
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (d > 0) type += ", ";
    if (!tensor.names.empty() && !tensor.names[d].empty()) type += tensor.names[d] + " ";
    type += std::to_string(tensor.shape[d]);
  }
  type += "]";
  if (!tensor.device.empty() && tensor.device != "cpu") type += " " + tensor.device;
  return type;
}

std::string tensor_text(const form::Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  const bool few = is_whole(tensor) && rank < 2 && !is_empty(tensor) && tensor.data->size() <= kMostInText;
  if (!few) return tensor_type(tensor);
  if (rank == 0) return exact_text(tensor.data->front());
  const TensorNotation notation(*tensor.data);
  std::string elements;
  for (const Element& element : *tensor.data)
    elements.append(elements.empty() ? "" : ", ").append(notation.text(element));
  return tensor_type(tensor) + (notation.rounds(*tensor.data) ? ": \u2248 " : ": ") + elements;
}

std::string storage_letter(std::int64_t number) {
  constexpr std::int64_t kThreeLetters = 26 * 26 * 26 + 26 * 26 + 26;
  if (number > kThreeLetters) return std::to_string(number);
  std::string letters;
  for (; number > 0; number = (number - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (number - 1) % 26));
  }
  return letters;
}

std::string storage_text(const form::Storage& storage) {
  if (storage.storage <= 0) return "a storage";
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, storage.storage_bytes));
  return "storage " + storage_letter(storage.storage) + " " + counted(bytes, "byte", "bytes") + " " +
         storage.device;
}

}  // namespace lectern
