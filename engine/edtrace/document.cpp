#include "edtrace/document.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "base/error.h"
#include "trace/decode.h"
#include "trace/json_problem.h"

namespace lectern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr const char* kDigits = "0123456789";

bool is_long_integer(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (number.find_first_not_of(kDigits, negative ? 1 : 0) != std::string_view::npos) return false;
  const auto overflows = [number](auto integer) {
    return std::from_chars(number.data(), number.data() + number.size(), integer).ec ==
           std::errc::result_out_of_range;
  };
  return negative ? overflows(std::int64_t()) : overflows(std::uint64_t());
}

/// The number at `at` as with_valid_numbers marks it; empty when it needs no mark. `length` becomes how much
/// of the text was looked at.
std::string mark(std::string_view text, std::size_t at, std::size_t& length) {
  text.remove_prefix(at);
  for (const auto& [number, name] :
       {std::pair<std::string_view, const char*>{"NaN", "nan"}, {"Infinity", "inf"}, {"-Infinity", "-inf"}}) {
    length = number.size();
    if (text.starts_with(number)) return std::string(R"({"float":")") + name + "\"}";
  }
  length = std::max<std::size_t>(1, std::min(text.find_first_not_of("+-.eE0123456789"), text.size()));
  const std::string_view number = text.substr(0, length);
  return is_long_integer(number) ? R"({"int":")" + std::string(number) + "\"}" : "";
}

/// The text of an object's only member, if that is its name.
std::string_view only_member(JsonElement json, std::string_view name) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS || object.size() != 1) return {};
  return member<std::string_view>(json, name).value_or("");
}

}  // namespace

EdtraceDocument::EdtraceDocument(std::string_view text, const std::string& name) {
  const std::string valid = with_valid_numbers(text);
  simdjson::error_code error = parser_.allocate(valid.size(), kDeepestJson);
  if (error == simdjson::SUCCESS) error = parser_.parse(valid).get(root_);
  if (error == simdjson::SUCCESS) return;
  const auto problem = json_problem(valid);
  const auto end = problem ? valid.begin() + static_cast<std::ptrdiff_t>(problem->position) : valid.end();
  const auto line = static_cast<int>(std::count(valid.begin(), end, '\n')) + 1;
  throw Error({name, line},
              "this is not JSON: " + (problem ? problem->what : simdjson::error_message(error)));
}

std::size_t json_string_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string with_valid_numbers(std::string_view text) {
  std::string valid;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find_first_of("\"NI-0123456789", at)) < text.size();) {
    if (text[at] == '"') {
      at = json_string_end(text, at);
      continue;
    }
    std::size_t length = 0;
    const std::string marked = mark(text, at, length);
    if (!marked.empty()) {
      valid.append(text.substr(copied, at - copied)).append(marked);
      copied = at + length;
    }
    at += length;
  }
  return valid.append(text.substr(copied));
}

std::optional<double> special_float(std::string_view name) {
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return kInfinity;
  if (name == "-inf") return -kInfinity;
  return {};
}

std::optional<double> marked_float(JsonElement json) {
  return special_float(only_member(json, "float"));
}

std::optional<std::string> marked_integer(JsonElement json) {
  const std::string_view digits = only_member(json, "int");
  if (!is_long_integer(digits)) return {};
  return std::string(digits);
}

std::string plain_json(JsonElement json) {
  const auto unmark = [](int /*depth*/, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::object_end || parsed.size() != 1 || !parsed.front().is_string())
      return true;
    const auto text = parsed.front().get<std::string>();
    if (parsed.contains("float") && special_float(text)) parsed = nullptr;
    if (parsed.contains("int") && is_long_integer(text)) parsed = std::strtod(text.c_str(), nullptr);
    return true;
  };
  return Json::parse(simdjson::minify(json), unmark).dump();
}

int line_number(simdjson::simdjson_result<JsonElement> json) {
  constexpr std::uint64_t kMostLines = 1 << 30;
  std::uint64_t line = 0;
  const bool is_number = json.get(line) == simdjson::SUCCESS;
  return is_number && line <= kMostLines ? static_cast<int>(line) : 0;
}

}  // namespace lectern
