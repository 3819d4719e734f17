#include "edtrace/document.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/error.h"
#include "trace/json_problem.h"

namespace lectern {
namespace {

/// Past the string that begins at `begin`, or the end of a text in which it does not end.
std::size_t string_end(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string_view valid_number(std::string_view token) {
  if (token == "NaN") return "nan";
  if (token == "Infinity") return "inf";
  return token == "-Infinity" ? "-inf" : token;
}

}  // namespace

JsonElement parse_python_json(std::string_view text, const std::string& name, simdjson::dom::parser& parser) {
  const std::string valid = with_valid_numbers(text);
  JsonElement root;
  simdjson::error_code error = parser.allocate(valid.size(), kDeepestJson);
  if (error == simdjson::SUCCESS) error = parser.parse(valid).get(root);
  if (error == simdjson::SUCCESS) return root;
  const auto problem = json_problem(valid);
  const std::string_view accepted =
      std::string_view(valid).substr(0, problem ? problem->position : valid.size());
  const auto line = static_cast<int>(std::ranges::count(accepted, '\n')) + 1;
  throw Error({name, line},
              "this is not JSON: " + (problem ? problem->what : simdjson::error_message(error)));
}

std::string with_valid_numbers(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    const std::size_t token_end =
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.", at);
    end = text[at] == '"' ? string_end(text, at) : std::min(std::max(token_end, at + 1), text.size());
    const std::string_view token = text.substr(at, end - at), number = valid_number(token);
    if (number != token || is_long_integer(token)) {
      valid.append("\"").append(number).append("\"");
    } else {
      valid.append(token);
    }
  }
  return valid;
}

std::optional<double> special_float(std::string_view text) {
  if (text != "nan" && text != "inf" && text != "-inf") return {};
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_long_integer(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  const auto result = text.starts_with('-') ? std::from_chars(text.data(), end, negative)
                                            : std::from_chars(text.data(), end, positive);
  return result.ec == std::errc::result_out_of_range && result.ptr == end;
}

int line_number(simdjson::simdjson_result<JsonElement> json) {
  constexpr std::uint64_t kMostLines = 1 << 30;
  std::uint64_t line = 0;
  const bool is_number = json.get(line) == simdjson::SUCCESS;
  return is_number && line <= kMostLines ? static_cast<int>(line) : 0;
}

}  // namespace lectern
