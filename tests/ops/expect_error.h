#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern::test {

/// That `call` throws a TensorError of this message.
inline void expect_error(const std::function<void()>& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "no error; expected: " << message;
  } catch (const TensorError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

}  // namespace lectern::test
