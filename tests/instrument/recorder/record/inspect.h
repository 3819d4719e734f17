#pragma once

// Stands in for the engine's header in the construct fixtures: what a directive shows goes to the fixture's
// steps, and a claim that compares is a plain one.

#include <sstream>
#include <string>

#include "record/probe.h"

namespace lectern::probe {

void print_shown(const char* text, const std::string& value);
void print_cleared(const char* name);

template <typename T>
std::string printed(const T& value) {
  if constexpr (requires(std::ostringstream & stream) { stream << value; }) {
    std::ostringstream stream;
    stream << value;
    return stream.str();
  } else {
    return "?";
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

}  // namespace lectern::probe

#define LECTERN_ASSERT_COMPARE(...) LECTERN_ASSERT(__VA_ARGS__)
