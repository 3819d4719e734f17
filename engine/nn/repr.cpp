#include "nn/repr.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace lectern::nn {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

std::string repr(bool value) {
  return value ? "True" : "False";
}

std::string repr(double value) {
  const double magnitude = std::abs(value);
  const bool is_plain = value == 0 || (magnitude >= 1e-4 && magnitude < 1e16) || !std::isfinite(value);
  char buffer[32];
  char* const end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                  is_plain ? std::chars_format::fixed : std::chars_format::scientific)
                        .ptr;
  std::string text(buffer, end);
  if (is_plain && std::isfinite(value) && text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string repr(const Sizes& sizes) {
  std::string text = to_string(sizes);
  text.front() = '(';
  text.back() = ')';
  if (sizes.size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

std::string repr_as_given(const Sizes& sizes) {
  return sizes.size() == 1 ? std::to_string(sizes[0]) : repr(sizes);
}

std::string class_name(const std::type_info& type) {
  const std::string whole = demangled(type.name());
  std::string name;
  int depth = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const char c = whole[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (depth == 0) name += c;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && c == ':') name.clear();
  }
  return name;
}

}  // namespace lectern::nn
