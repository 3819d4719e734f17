#pragma once

// Stands in for the engine's header in the construct fixtures: what a directive shows goes to the fixture's
// steps, and a claim that compares is a plain one.

#include <sstream>
#include <string>

#include "record/checked_access.h"
#include "record/probe.h"

namespace lectern::probe {

void print_shown(const char* text, const std::string& value);
void print_cleared(const char* name);

template <typename T>
std::string printed(const T& value);

struct FieldPrinter {
  std::string& text;
  template <typename T>
  void field(const char* name, const T& value) const {
    constexpr bool kAddress = std::is_pointer_v<T> || std::is_array_v<T>;
    text += std::string(text.empty() ? "" : " ") + name + "=";
    if constexpr (kAddress) {
      text += "?";
    } else {
      text += printed(value);
    }
  }
  template <typename Base>
  void base(const Base& object) const {
    field("base", object);
  }
  void anonymous_union() const { text += " union"; }
  void unknown_members() const { text += " ..."; }
};

template <typename T>
std::string printed(const T& value) {
  if constexpr (requires { T::lectern_fields(static_cast<T*>(nullptr)); }) {
    std::string fields;
    T::lectern_fields(nullptr)(FieldPrinter{fields}, value);
    return "{" + fields + "}";
  } else if constexpr (requires { T::lectern_unnamed_fields(); }) {
    std::string fields;
    T::lectern_unnamed_fields()(FieldPrinter{fields}, value);
    return "{" + fields + "}";
  } else if constexpr (requires(std::ostringstream & stream) { stream << value; }) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  } else {
    return "?";
  }
}

/// An address differs from run to run.
template <typename T>
std::string printed_local(const T& value) {
  if constexpr (std::is_pointer_v<T> || std::is_array_v<T> || std::is_function_v<T> ||
                requires { value.get(); }) {
    return "?";
  } else if constexpr (requires { sizeof(T); }) {
    return printed(value);
  } else {
    return "incomplete";
  }
}

template <typename T>
constexpr const Inspection& Inspection::show(const char* text, const T& value) const {
  if (frame_ != nullptr) print_shown(text, printed(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::show_full(const char* text, const T& value) const {
  if (frame_ != nullptr) print_shown((std::string("full ") + text).c_str(), printed(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::local(const char* name, const T& value, SiteRange) const {
  if (frame_ != nullptr) print_shown((std::string("* ") + name).c_str(), printed_local(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::watch(const char* name, const T& value, SiteRange) const {
  if (frame_ != nullptr) print_shown((std::string("~ ") + name).c_str(), printed_local(value));
  return *this;
}

template <typename T>
constexpr const Inspection& Inspection::argument(const char* name, const T& value) const {
  if (frame_ != nullptr) print_shown((std::string("( ") + name).c_str(), printed_local(value));
  return *this;
}

}  // namespace lectern::probe

#define LECTERN_ASSERT_COMPARE(...) LECTERN_ASSERT(__VA_ARGS__)
