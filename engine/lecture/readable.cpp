#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "lecture/format.h"

namespace lectern {
namespace {

/// Reads the JSON text of one value (as ValueWriter makes it) and writes it as a person would.
class Readable {
 public:
  explicit Readable(std::string_view json) : json_(json) {}

  /// Strings stand in quotes within something else only.
  std::string value(bool quoted) {
    if (peek() == '"') return quoted ? '"' + string() + '"' : string();
    if (peek() == '{') return object(quoted);
    const std::size_t end = std::min(json_.find_first_of(",]}", at_), json_.size());
    const std::size_t begin = std::exchange(at_, end);
    return std::string(json_.substr(begin, end - begin));
  }

 private:
  std::string object(bool quoted) {
    std::string type, shown;
    bool closed = false;  // by a bracket or a quote
    std::vector<std::int64_t> shape;
    bool summary = false;  // of a tensor
    ++at_;
    while (peek() != '}') {
      take(',');
      const std::string name = string();
      take(':');
      if (name == "type") {
        type = string();
      } else if (name == "items") {
        closed = true;
        shown = "[" + list([this] { return value(true); }) + "]";
      } else if (name == "entries") {
        closed = true;
        shown = "{" + list([this] { return pair(value_of_key()); }) + "}";
      } else if (name == "fields") {
        shown = type + "{" + list([this] { return pair(field_name()); }) + "}";
      } else if (name == "value" || name == "to" || name == "text" || name == "float" || name == "bytes") {
        const std::string part = value(quoted && name != "text" && name != "float");
        if (shown.empty()) shown = part;  // of an enumerator its name
        closed = quoted && name == "value" && part.size() > 1 && part.back() == '"';
      } else if (name == "size") {
        value(false);
        shown.insert(shown.size() - (closed ? 1 : 0), shown.size() > 1 ? ", …" : "…");
      } else if (name == "ref") {
        shown = "(#" + value(false) + ")";
      } else if (name == "dtype") {
        shown = string();
      } else if (name == "shape") {
        shape = numbers();
        shown += fmt::format(" [{}]", fmt::join(shape, ", "));
      } else if (name == "data" && !summary) {
        if (shape.empty()) {
          shown.clear();
        } else {
          shown += ' ';
        }
        take('[');
        shown += nested(shape, 0);
        take(']');
      } else if (name == "stats") {
        shown += fields();
      } else if (name == "storage" && shown.empty()) {
        shown = "storage " + value(false);
      } else if (name == "indices") {
        summary = true;
        skip();
      } else if (name == "cut") {
        skip();
        shown = "…";
      } else {
        skip();
      }
    }
    ++at_;
    return shown.empty() ? "(" + type + ")" : shown;
  }

  /// The numbers of a tensor, row by row.
  std::string nested(const std::vector<std::int64_t>& shape, std::size_t dim) {
    if (dim == shape.size()) return value(false);
    std::string all = "[";
    for (std::int64_t i = 0; i < shape[dim]; ++i) {
      if (i > 0) all += ", ";
      all += nested(shape, dim + 1);
      if (dim + 1 == shape.size()) take(',');
    }
    return all + "]";
  }

  /// {"a":1,"b":2} as ", a 1, b 2".
  std::string fields() {
    std::string all;
    for (take('{'); !take('}'); take(',')) {
      all += ", " + string();
      take(':');
      all += " " + value(false);
    }
    return all;
  }

  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> all;
    for (take('['); !take(']'); take(',')) all.push_back(std::stoll(value(false)));
    return all;
  }

  /// A field that means nothing here.
  void skip() {
    int depth = 0;
    do {
      if (peek() == '"') {
        string();
        continue;
      }
      const char c = json_[at_++];
      depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    } while (depth > 0 || (peek() != ',' && peek() != '}' && peek() != ']'));
  }

  template <typename Element>
  std::string list(Element element) {
    std::string all;
    ++at_;
    while (peek() != ']') {
      if (take(',')) all += ", ";
      all += element();
    }
    ++at_;
    return all;
  }

  std::string value_of_key() {
    take('[');
    return value(true);
  }
  std::string field_name() {
    take('[');
    return string();
  }
  std::string pair(std::string key) {
    take(',');
    key += ": " + value(true);
    take(']');
    return key;
  }

  std::string string() {
    std::string text;
    for (++at_; peek() != '"'; ++at_) {
      if (peek() != '\\') {
        text += peek();
        continue;
      }
      ++at_;
      switch (peek()) {
        case 'n':
          text += '\n';
          break;
        case 't':
          text += '\t';
          break;
        case 'r':
          text += '\r';
          break;
        case 'b':
          text += '\b';
          break;
        case 'f':
          text += '\f';
          break;
        case 'u':
          append_utf8(text,
                      static_cast<char32_t>(std::stoul(std::string(json_.substr(at_ + 1, 4)), nullptr, 16)));
          at_ += 4;
          break;
        default:
          text += peek();
      }
    }
    ++at_;
    return text;
  }

  char peek() const { return json_[at_]; }
  bool take(char c) {
    if (json_[at_] != c) return false;
    return ++at_, true;
  }

  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace

std::string readable_value(std::string_view json) {
  return Readable(json).value(false);
}

}  // namespace lectern
