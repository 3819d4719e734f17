#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lectern::test {

/// That `call` throws an Error, of a file say, whose message has this part.
inline void expect_file_problem(const std::function<void()>& call, const std::string& part) {
  std::string message = "no error";
  try {
    call();
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
}

}  // namespace lectern::test

#define EXPECT_FILE_PROBLEM(expression, part) \
  lectern::test::expect_file_problem([&] { (void)(expression); }, part)
