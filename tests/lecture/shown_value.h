#pragma once

#include <cstddef>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "record/inspect.h"

namespace lectern::test {

/// A value as it is written into a trace.
template <typename T>
nlohmann::json shown(const T& value, std::size_t budget = ValueWriter::kDefaultBudget) {
  const std::string text = value_text(value, budget);
  EXPECT_LE(text.size(), budget);
  return nlohmann::json::parse(text);
}

}  // namespace lectern::test
