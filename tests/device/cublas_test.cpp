#include "device/cublas.h"

#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern::cuda {
namespace {

TEST(Cublas, AMissingLibrarySaysWhatToInstall) {
  try {
    load_cublas({"libnothing.so.1"});
    FAIL() << "loaded";
  } catch (const TensorError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("cuBLAS: ")) << message;
    EXPECT_NE(message.find("install the CUDA toolkit"), std::string::npos) << message;
    EXPECT_NE(message.find("libnothing.so.1"), std::string::npos) << message;
  }
}

TEST(Cublas, AnotherLibraryIsRefused) {
  EXPECT_THROW(load_cublas({"libm.so.6"}), TensorError);
}

TEST(Cublas, IsLoadedWhenItIsAskedFor) {
  try {
    EXPECT_EQ(std::string(cublas().GetStatusString(CUBLAS_STATUS_NOT_INITIALIZED)),
              "the library was not initialized");
  } catch (const TensorError& error) {
    GTEST_SKIP() << error.what();
  }
  EXPECT_NO_THROW(must("matmul", CUBLAS_STATUS_SUCCESS));
  try {
    must("matmul", CUBLAS_STATUS_INVALID_VALUE);
    FAIL() << "no error";
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "matmul: cuBLAS: an unsupported value or parameter was passed to the function");
  }
}

}  // namespace
}  // namespace lectern::cuda
