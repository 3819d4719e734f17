#include "edtrace/document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"
#include "edtrace/json_fields.h"
#include "trace/json_problem.h"

namespace lectern {
namespace {

/// {"float":"nan"} and its like.
std::optional<double> written_special_float(const Json& json) {
  if (!json.is_object() || json.size() != 1) return {};
  return special_float(text_member(json, "float"));
}

/// Makes a document of a parser's events. Members are gathered before their object is made, since one that
/// grows copies them and compares their names.
class DocumentBuilder : public Json::json_sax_t {
 public:
  DocumentBuilder(std::string_view text, const std::string& name) : text_(text), name_(name) {}
  Json take() && { return std::move(document_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string& digits) override {
    const bool whole = digits.find_first_of(".eE") == std::string::npos;
    return add(whole ? Json::binary({digits.begin(), digits.end()}) : Json(value));
  }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) override { return true; }
  bool key(std::string& name) override {
    open_.back().names.push_back(std::move(name));
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return begin(); }
  bool start_array(std::size_t /*size*/) override { return begin(); }
  bool end_object() override {
    Open ended = end();
    Json made = Json::object();
    auto& members = static_cast<Members&>(made.get_ref<Json::object_t&>());
    members.reserve(ended.values.size());
    for (std::size_t i = 0; i < ended.values.size(); ++i)
      members.emplace_back(std::move(ended.names[i]), std::move(ended.values[i]));
    const auto special = written_special_float(made);
    return add(special ? Json(*special) : std::move(made));
  }
  bool end_array() override {
    Json made = Json::array();
    auto& values = made.get_ref<Json::array_t&>();
    values = end().values;
    values.shrink_to_fit();
    return add(std::move(made));
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    const std::string_view before = text_.substr(0, position);
    const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
    throw Error({name_, line}, "this is not JSON: " + parser_message(error.id, error.what()));
  }

 protected:
  std::size_t depth() const { return open_.size(); }

 private:
  using Members = std::vector<Json::object_t::value_type>;
  struct Open {
    std::vector<std::string> names;
    std::vector<Json> values;
  };

  bool add(Json value) {
    (open_.empty() ? document_ : open_.back().values.emplace_back()) = std::move(value);
    return true;
  }
  bool begin() {
    if (open_.size() == kDeepestJson) throw Error({name_, 0}, "this is nested too deeply");
    open_.emplace_back();
    return true;
  }
  Open end() {
    Open ended = std::move(open_.back());
    open_.pop_back();
    return ended;
  }

  std::string_view text_;
  const std::string& name_;
  Json document_;
  std::vector<Open> open_;
};

/// Reads up to the name that tells what a document is.
class FormatSniffer : public DocumentBuilder {
 public:
  using DocumentBuilder::DocumentBuilder;
  bool found = false;

  bool key(std::string& name) override {
    found = depth() == 1 && (name == "files" || name == "steps");
    const bool ours = depth() == 1 && name == "format";
    return !found && !ours && DocumentBuilder::key(name);
  }
};

/// Past the string that begins at `at`.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

}  // namespace

Json read_document(std::string_view text, const std::string& name) {
  std::string valid;
  const bool is_valid = text.find("NaN") == text.npos && text.find("Infinity") == text.npos;
  if (!is_valid) text = valid = with_valid_numbers(text);
  DocumentBuilder builder(text, name);
  Json::sax_parse(text, &builder);
  return std::move(builder).take();
}

bool is_edtrace(std::string_view text) {
  const std::string nameless;
  FormatSniffer sniffer(text, nameless);
  try {
    Json::sax_parse(text, &sniffer);
  } catch (const Error&) {  // neither
  }
  return sniffer.found;
}

std::string with_valid_numbers(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNumbers{
      {{"NaN", R"({"float":"nan"})"},
       {"Infinity", R"({"float":"inf"})"},
       {"-Infinity", R"({"float":"-inf"})"}}};
  std::string valid;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find_first_of("\"NI-", at)) < text.size();) {
    if (text[at] == '"') {
      at = string_end(text, at);
      continue;
    }
    std::size_t length = 1;
    for (const auto& [number, object] : kNumbers) {
      if (!text.substr(at).starts_with(number)) continue;
      valid.append(text.substr(copied, at - copied)).append(object);
      length = number.size();
      copied = at + length;
    }
    at += length;
  }
  return valid.append(text.substr(copied));
}

const Json& part(const Json& json, const char* name) {
  static const Json kNull;
  const auto found = json.find(name);
  return found == json.end() ? kNull : *found;
}

std::optional<double> special_float(std::string_view name) {
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "-inf") return -std::numeric_limits<double>::infinity();
  return {};
}

std::optional<std::string> long_integer(const Json& json) {
  if (!json.is_binary()) return {};
  return std::string(json.get_binary().begin(), json.get_binary().end());
}

std::optional<double> as_double(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (const auto digits = long_integer(json)) return std::strtod(digits->c_str(), nullptr);
  return {};
}

Json plain_json(Json json) {
  if (json.is_binary()) return *as_double(json);
  if (json.is_structured()) {
    for (Json& inner : json) inner = plain_json(std::move(inner));
  }
  return json;
}

}  // namespace lectern
