#include "trace/json_problem.h"

#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace lectern {
namespace {

using JsonReader = nlohmann::json;

/// Tells how far a parser has read.
struct Progress {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  Progress& operator++() {
    *reached = ++at;
    return *this;
  }
  Progress operator++(int) {
    Progress before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Progress& other) const { return at == other.at; }
  bool operator!=(const Progress& other) const { return at != other.at; }
};

/// The parser's events: nothing is kept but what is wrong, and where the records are whole.
class Examiner : public JsonReader::json_sax_t {
 public:
  Examiner(std::string_view text, const char* const& reached) : text_(text), reached_(reached) {}

  std::optional<JsonProblem> problem() && { return std::move(problem_); }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& digits) override {
    const bool whole = digits.find_first_of(".eE") == std::string::npos;
    return whole ? refuse("an integer of more than 64 bits; write it as a string") : true;
  }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(JsonReader::binary_t& /*value*/) override { return true; }
  bool key(std::string& name) override {
    if (depth_ == 1) in_records_ = name == "records";
    return true;
  }
  bool start_object(std::size_t /*size*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t /*size*/) override {
    if (depth_ == 1 && in_records_) whole_ = position();
    return begin();
  }
  bool end_array() override { return end(); }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    refuse(parser_message(error.id, error.what()));
    problem_->ended = position() >= text_.size() && error.id != 406;
    return false;
  }

 private:
  std::size_t position() const { return static_cast<std::size_t>(reached_ - text_.data()); }
  bool begin() { return ++depth_ <= kDeepestJson || refuse("nested too deeply"); }
  bool end() {
    if (--depth_ == 2 && in_records_) whole_ = position();
    return true;
  }
  bool refuse(std::string what) {
    problem_ = {std::move(what), position(), false, whole_};
    return false;
  }

  std::string_view text_;
  const char* const& reached_;
  std::optional<JsonProblem> problem_;
  int depth_ = 0;
  bool in_records_ = false;
  std::size_t whole_ = std::string_view::npos;
};

}  // namespace

std::optional<JsonProblem> json_problem(std::string_view text) {
  const char* reached = text.data();
  Examiner examiner(text, reached);
  JsonReader::sax_parse(Progress{text.data(), &reached}, Progress{text.data() + text.size(), &reached},
                        &examiner);
  return std::move(examiner).problem();
}

std::string json_error(std::string_view text) {
  const auto problem = json_problem(text);
  if (!problem) return {};
  const std::string_view before = text.substr(0, problem->position);
  const std::size_t line = before.rfind('\n');
  return "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ", column " +
         std::to_string(problem->position - (line == before.npos ? 0 : line + 1)) + ": " + problem->what;
}

}  // namespace lectern
