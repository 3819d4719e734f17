#include <ostream>
#include <typeinfo>

#include "nn/module.h"
#include "nn/repr.h"

namespace lectern::nn {
namespace {

/// Indents all lines but the first.
std::string indented(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

std::string Module::name() const {
  return class_name(typeid(*this));
}

std::string to_string(const Module& module) {
  const std::string extra = module.extra_repr();
  std::string lines;
  for (const auto& [name, child, persistent] : module.modules_) {
    lines += "\n(" + name + "): " + to_string(*child);
  }
  if (lines.empty()) return module.name() + "(" + extra + ")";
  if (!extra.empty()) lines.insert(0, "\n" + extra);
  return module.name() + "(" + indented(lines) + "\n)";
}

std::ostream& operator<<(std::ostream& out, const Module& module) {
  return out << to_string(module);
}

}  // namespace lectern::nn
