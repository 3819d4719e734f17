#include "record/type_name.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <cxxabi.h>

#include "record/replace_all.h"

namespace lectern {
namespace {

constexpr std::string_view kDynamicExtent = "18446744073709551615";

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// The index behind the bracket that closes the one at `open`.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

/// Lambdas as "lambda", and functions that enclose a local type without their parameters: "f(int)::Point" is
/// "f::Point".
std::string without_parameters(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '{' && starts_with(text.substr(i), "{lambda")) {
      result += "lambda";
      i = behind_bracket(text, i);
    } else if (starts_with(text.substr(i), "$_")) {
      result += "lambda";
      for (i += 2; i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;) ++i;
    } else if (text[i] == '(') {
      std::size_t end = behind_bracket(text, i);
      const std::size_t parameters_end = end;
      if (starts_with(text.substr(end), " const")) end += 6;
      if (starts_with(text.substr(end), "::")) {
        i = end;
      } else {
        result += text.substr(i, parameters_end - i);
        i = parameters_end;
      }
    } else {
      result += text[i++];
    }
  }
  return result;
}

/// Inline namespaces of the standard library: "std::__cxx11::list" is "std::list".
void drop_inline_namespaces(std::string& text) {
  for (std::size_t at = text.find("std::__"); at != std::string::npos; at = text.find("std::__", at)) {
    const std::size_t begin = at + 5;
    std::size_t end = begin;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
      ++end;
    if (!starts_with(std::string_view(text).substr(end), "::")) {
      at = end;
    } else {
      text.erase(begin, end + 2 - begin);
    }
  }
}

/// Reads a demangled type and writes it anew, template arguments that are defaults left out.
class Shortener {
 public:
  explicit Shortener(std::string_view text) : text_(text) {}

  std::string type() {
    std::string name;
    while (at_ < text_.size() && !ends_type()) {
      const char c = text_[at_];
      if (c == '<') {
        name = with_arguments(name, arguments());
      } else if (c == '(') {
        name += "(" + joined(arguments()) + ")";
      } else if (starts_with(text_.substr(at_), " const") &&
                 !std::isalnum(static_cast<unsigned char>(after(6)))) {
        // "char const*" is written "const char*".
        const bool of_pointer = !name.empty() && (name.back() == '*' || name.back() == '&');
        if (of_pointer) {
          name += " const";
        } else {
          name.insert(0, "const ");
        }
        at_ += 6;
      } else {
        name += c;
        ++at_;
      }
    }
    return number(name);
  }

 private:
  bool ends_type() const { return text_[at_] == ',' || text_[at_] == '>' || text_[at_] == ')'; }
  char after(std::size_t count) const { return at_ + count < text_.size() ? text_[at_ + count] : ' '; }

  std::vector<std::string> arguments() {
    std::vector<std::string> result;
    ++at_;
    while (at_ < text_.size()) {
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      std::string argument = type();
      while (!argument.empty() && argument.back() == ' ') argument.pop_back();
      if (!argument.empty()) result.push_back(std::move(argument));
      if (at_ < text_.size() && text_[at_++] != ',') break;
    }
    return result;
  }

  /// "3ul" is "3".
  static std::string number(std::string text) {
    if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) == 0 && text[0] != '-'))
      return text;
    while (text.back() == 'u' || text.back() == 'l') text.pop_back();
    return text;
  }

  static std::string with_arguments(const std::string& name, std::vector<std::string> arguments) {
    if (starts_with(name, "std::") && !arguments.empty()) {
      while (arguments.size() > 1 && is_default(name, arguments)) arguments.pop_back();
      if (name == "std::basic_string") return string_name(arguments, "string");
      if (name == "std::basic_string_view") return string_name(arguments, "string_view");
    }
    return name + "<" + joined(arguments) + ">";
  }

  static std::string joined(const std::vector<std::string>& arguments) {
    std::string result;
    for (const std::string& argument : arguments) {
      if (!result.empty()) result += ", ";
      result += argument;
    }
    return result;
  }

  static bool is_default(const std::string& name, const std::vector<std::string>& arguments) {
    const std::string& last = arguments.back();
    const std::string& first = arguments.front();
    if (starts_with(last, "std::allocator<") || last == kDynamicExtent) return true;
    const auto is = [&](const char* of_first) { return last == std::string(of_first) + "<" + first + ">"; };
    if (name == "std::stack" || name == "std::queue") return is("std::deque");
    if (name == "std::priority_queue" && is("std::vector")) return true;
    for (const char* standard :
         {"std::char_traits", "std::default_delete", "std::less", "std::hash", "std::equal_to"}) {
      if (is(standard)) return true;
    }
    return false;
  }

  static std::string string_name(const std::vector<std::string>& arguments, const std::string& kind) {
    const std::string& c = arguments.front();
    if (arguments.size() > 1) return "std::basic_" + kind + "<" + c + ", " + arguments[1] + ">";
    if (c == "char") return "std::" + kind;
    if (c == "wchar_t") return "std::w" + kind;
    if (c == "char8_t") return "std::u8" + kind;
    return "std::u" + std::string(c == "char16_t" ? "16" : "32") + kind;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string short_type_name(std::string_view demangled) {
  std::string text(demangled);
  replace_all(text, "(anonymous namespace)::", "");
  replace_all(text, "[abi:cxx11]", "");
  replace_all(text, "__cxx11::", "");
  replace_all(text, "decltype(nullptr)", "std::nullptr_t");
  replace_all(text, " [", "[");
  drop_inline_namespaces(text);
  text = without_parameters(text);
  return Shortener(text).type();
}

std::string_view type_name_of(const std::type_info& type) {
  static std::mutex mutex;
  static auto& names =
      *new std::map<std::string, std::string>;  // lives as long as the static names that point here
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = names.try_emplace(type.name());
  if (is_new) {
    const std::unique_ptr<char, void (*)(void*)> demangled(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), std::free);
    entry->second = short_type_name(demangled ? demangled.get() : type.name());
  }
  return entry->second;
}

std::string without_arguments(std::string_view type) {
  std::string result;
  int depth = 0;
  for (const char c : type) {
    if (c == '<') ++depth;
    if (depth == 0) result += c;
    if (c == '>') --depth;
  }
  return result;
}

}  // namespace lectern
