#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_text.h"
#include "record/recorder.h"

namespace lectern {

/// One rendering as JSON text. Empty and zero fields are left out.
class Rendering {
 public:
  explicit Rendering(std::string_view kind) : json_("{\"kind\":") { append_json_string(json_, kind); }

  Rendering& add(std::string_view name, std::string_view text) {
    if (!text.empty()) append_json_string(name_of(name), text);
    return *this;
  }
  Rendering& add(std::string_view name, std::int64_t number) {
    if (number != 0) append_integer(name_of(name), number);
    return *this;
  }
  Rendering& add(std::string_view name, const std::vector<std::string>& texts) {
    if (texts.empty()) return *this;
    std::string& out = name_of(name);
    append_list(out, texts);
    return *this;
  }
  /// `json` is one JSON value.
  Rendering& add_json(std::string_view name, std::string_view json) {
    name_of(name) += json;
    return *this;
  }
  /// Adds it to the open step.
  void show() { record::add_rendering(json_ + "}"); }

  static void append_list(std::string& out, const std::vector<std::string>& texts) {
    out += '[';
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i > 0) out += ',';
      append_json_string(out, texts[i]);
    }
    out += ']';
  }

 private:
  std::string& name_of(std::string_view name) {
    json_ += ',';
    append_json_string(json_, name);
    return json_ += ':';
  }

  std::string json_;
};

/// Where hooks print when nothing is recorded: one line, or as many as `text` has.
void print_plain(std::string_view text);

/// Ends the hook: a wrong argument, at the lecture's line.
[[noreturn]] void refuse(const std::string& message);

}  // namespace lectern
