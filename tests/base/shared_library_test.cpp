#include "base/shared_library.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lectern {
namespace {

TEST(SharedLibrary, TheFirstThatLoadsIsTaken) {
  const SharedLibrary library({"libnothing.so.1", "libm.so.6", "libc.so.6"});
  EXPECT_EQ(library.name(), "libm.so.6");
  double (*root)(double) = nullptr;
  library.find(root, "sqrt");
  EXPECT_EQ(root(9), 3);
}

TEST(SharedLibrary, WhatIsMissingIsNamed) {
  try {
    const SharedLibrary library({"libnothing.so.1", "libnowhere.so"});
    FAIL() << "loaded " << library.name();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("libnothing.so.1"), std::string::npos) << message;
    EXPECT_NE(message.find("libnowhere.so"), std::string::npos) << message;
  }
  void (*function)() = nullptr;
  try {
    SharedLibrary({"libm.so.6"}).find(function, "nonsense");
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("libm.so.6: has no nonsense"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace lectern
