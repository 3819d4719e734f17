#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern::test {

/// That `call` throws a TensorError whose message has this part.
inline void expect_problem(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << part;
  } catch (const TensorError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nlacks: " << part;
  }
}

}  // namespace lectern::test

#define EXPECT_PROBLEM(expression, part) lectern::test::expect_problem([&] { (void)(expression); }, part)
