#include "record/type_name.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <cxxabi.h>

#include "base/characters.h"
#include "record/text_edit.h"

namespace lectern {
namespace {

constexpr std::string_view kDynamicExtent = "18446744073709551615";

constexpr std::string_view kAnonymous = "(anonymous namespace)";

/// Of classes without a name; GCC's name of those at the scope of a file begins like the second.
constexpr std::string_view kUnnamed = "(unnamed)", kUnnamedOfFile = "._anon_";

/// Lambdas as "lambda", and functions that enclose a local type without their parameters: "f(int)::Point" is
/// "f::Point".
std::string without_parameters(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::size_t end = 1;
    std::string_view kept = text.substr(0, 1);
    if (text.starts_with("{lambda")) {
      end = past_bracket(text, 0);
      kept = "lambda";
    } else if (text.starts_with("{unnamed type")) {
      end = past_bracket(text, 0);
      kept = kUnnamed;
    } else if (text.starts_with(kUnnamedOfFile)) {
      for (end = kUnnamedOfFile.size(); end < text.size() && is_digit(text[end]);) ++end;
      kept = kUnnamed;
    } else if (text.starts_with("$_")) {
      for (end = 2; end < text.size() && is_digit(text[end]);) ++end;
      kept = "lambda";
    } else if (text.starts_with(kAnonymous)) {
      end = kAnonymous.size();
      kept = kAnonymous;
    } else if (text[0] == '(') {
      end = past_bracket(text, 0);
      kept = text.substr(0, end);
      if (text.substr(end).starts_with(" const")) end += 6;
      if (text.substr(end).starts_with("::")) kept = {};
    }
    result += kept;
    text.remove_prefix(end);
  }
  return result;
}

/// Inline namespaces of the standard library: "std::__cxx11::list" is "std::list".
void drop_inline_namespaces(std::string& text) {
  for (std::size_t at = 0; (at = text.find("::__", at)) != std::string::npos;) {
    std::size_t end = at + 4;
    while (end < text.size() && is_word(text[end])) ++end;
    if (text.compare(end, 2, "::") == 0) {
      text.erase(at, end - at);
    } else {
      at = end;
    }
  }
}

/// Reads a type and writes it anew, without template arguments that are defaults.
class Shortener {
 public:
  explicit Shortener(std::string_view text) : text_(text) {}

  /// One type, or several separated by commas.
  std::string types() { return joined(list()); }

 private:
  std::string type() {
    std::string name;
    while (at_ < text_.size() && !ends_type()) {
      const char c = text_[at_];
      if (c == '<') {
        name = with_arguments(name, list_in_brackets());
      } else if (c == '(' || c == '{') {
        name += c + joined(list_in_brackets()) + (c == '(' ? ')' : '}');
      } else if (rest().starts_with(" const") && (rest().size() == 6 || !is_word(rest()[6]))) {
        // "char const*" is written "const char*".
        const bool is_pointer = !name.empty() && (name.back() == '*' || name.back() == '&');
        name.insert(is_pointer ? name.size() : 0, is_pointer ? " const" : "const ");
        at_ += 6;
      } else {
        name += c;
        ++at_;
      }
    }
    return number(name);
  }

  std::string_view rest() const { return text_.substr(at_); }
  bool ends_type() const { return std::string_view(",>)}").find(text_[at_]) != std::string_view::npos; }

  std::vector<std::string> list_in_brackets() {
    ++at_;
    return list();
  }

  /// Up to the bracket that closes it, and past that.
  std::vector<std::string> list() {
    std::vector<std::string> result;
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
    if (text.empty() || (!is_digit(text[0]) && text[0] != '-')) return text;
    return text.substr(0, text.find_last_not_of("ulUL") + 1);
  }

  static std::string with_arguments(const std::string& name, std::vector<std::string> arguments) {
    if (name.starts_with("std::") && !arguments.empty()) {
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
    if (last.starts_with("std::allocator<") || last == kDynamicExtent) return true;
    const auto is = [&](const char* name_of_default) {
      return last == std::string(name_of_default) + "<" + first + ">";
    };
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
    if (arguments.size() > 1) return "std::basic_" + kind + "<" + joined(arguments) + ">";
    if (c == "char") return "std::" + kind;
    if (c == "wchar_t") return "std::w" + kind;
    if (c == "char8_t") return "std::u8" + kind;
    return "std::u" + std::string(c == "char16_t" ? "16" : "32") + kind;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// As the C++ ABI's demangler gives it. GCC 12's does not know _Float16: for it, that is a vendor's type.
std::string demangled_name(const std::type_info& type) {
  std::string name = type.name();
  const std::string text = demangled(name, "");
  if (!text.empty()) return text;
  replace_all(name, "DF16_", "u8_Float16");
  return demangled(name, type.name());
}

}  // namespace

std::string demangled(const std::string& mangled, const std::string& otherwise) {
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), std::free);
  return name == nullptr ? otherwise : name.get();
}

std::string short_type_name(std::string_view type) {
  std::string text(type);
  replace_all(text, "[abi:cxx11]", "");
  replace_all(text, "decltype(nullptr)", "std::nullptr_t");
  replace_all(text, " [", "[");
  drop_inline_namespaces(text);
  text = without_parameters(text);
  return Shortener(text).types();
}

std::string_view type_name_of(const std::type_info& type) {
  static std::mutex mutex;
  static auto& names =
      *new std::map<std::string, std::string>;  // lives as long as the static names that point here
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = names.try_emplace(type.name());
  if (is_new) {
    std::string text = demangled_name(type);
    replace_all(text, "(anonymous namespace)::", "");
    entry->second = short_type_name(text);
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
