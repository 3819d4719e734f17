#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/allocator.h"
#include "device/copy.h"
#include "device/cublas.h"

namespace lectern::cuda {
namespace {

TEST(GpuCublas, MultipliesOnAnyStream) {
  if (!is_available()) GTEST_SKIP() << "needs a GPU: " << unavailable_reason();
  const std::vector<float> a{1, 2, 3, 4};  // by columns
  const std::vector<float> b{5, 6, 7, 8};
  constexpr std::size_t kBytes = 4 * sizeof(float);
  for (const Stream& stream : {default_stream(), Stream()}) {
    const StreamGuard guard(stream);
    Allocator& memory = allocator(Device(Device::Type::cuda));
    void* operands = memory.allocate(3 * 512);
    auto* x = static_cast<float*>(operands);
    float* y = x + 128;
    float* z = y + 128;
    copy(x, a.data(), kBytes);
    copy(y, b.data(), kBytes);
    const float one = 1;
    const float zero = 0;
    check_status("matmul", cublas().GemmEx(cublas_handle(), CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x,
                                           CUDA_R_32F, 2, y, CUDA_R_32F, 2, &zero, z, CUDA_R_32F, 2,
                                           CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    std::vector<float> product(4);
    copy(product.data(), z, kBytes);
    EXPECT_EQ(product, (std::vector<float>{23, 34, 31, 46}));
    memory.deallocate(operands, 3 * 512);
  }
}

}  // namespace
}  // namespace lectern::cuda
