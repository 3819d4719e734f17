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
  EXPECT_NO_THROW(check_status("matmul", CUBLAS_STATUS_SUCCESS));
  try {
    check_status("matmul", CUBLAS_STATUS_INVALID_VALUE);
    FAIL() << "no error";
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "matmul: cuBLAS: an unsupported value or parameter was passed to the function");
  }
}

/// How kernels/cuda/gemm_lt.cpp describes a product, which needs no GPU.
TEST(Cublas, LtTakesDescriptions) {
  CublasLt lt{};
  try {
    lt = cublas().lt;
  } catch (const TensorError& error) {
    GTEST_SKIP() << error.what();
  }
  cublasLtMatmulDesc_t description = nullptr;
  ASSERT_EQ(lt.MatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  const std::int32_t transposed = CUBLAS_OP_T;
  for (const auto which : {CUBLASLT_MATMUL_DESC_TRANSA, CUBLASLT_MATMUL_DESC_TRANSB}) {
    EXPECT_EQ(lt.MatmulDescSetAttribute(description, which, &transposed, sizeof transposed),
              CUBLAS_STATUS_SUCCESS);
  }
  EXPECT_EQ(lt.MatmulDescDestroy(description), CUBLAS_STATUS_SUCCESS);

  cublasLtMatrixLayout_t layout = nullptr;
  ASSERT_EQ(lt.MatrixLayoutCreate(&layout, CUDA_R_16BF, 4, 7, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lt.MatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);

  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(lt.MatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  const std::uint64_t workspace = std::uint64_t{32} << 20;
  EXPECT_EQ(lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                                            sizeof workspace),
            CUBLAS_STATUS_SUCCESS);
  const std::uint32_t sixteen = 16, schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  for (const auto which :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    EXPECT_EQ(lt.MatmulPreferenceSetAttribute(preference, which, &sixteen, sizeof sixteen),
              CUBLAS_STATUS_SUCCESS);
  }
  EXPECT_EQ(lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes,
                                            sizeof schemes),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lt.MatmulPreferenceDestroy(preference), CUBLAS_STATUS_SUCCESS);
}

}  // namespace
}  // namespace lectern::cuda
