#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern::test {

/// The message of the TensorError that `call` throws; "no error" where it throws none.
inline std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const TensorError& error) {
    return error.what();
  }
  return "no error";
}

/// That `call` throws a TensorError of this message.
inline void expect_error(const std::function<void()>& call, const std::string& message) {
  EXPECT_EQ(error_of(call), message);
}

/// That `call` throws a TensorError whose message has this part.
inline void expect_problem(const std::function<void()>& call, const std::string& part) {
  const std::string message = error_of(call);
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
}

}  // namespace lectern::test

#define EXPECT_PROBLEM(expression, part) lectern::test::expect_problem([&] { (void)(expression); }, part)
