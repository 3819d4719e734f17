// The graphs of attention and convolutions are of the forms that cuDNN knows: it finds an engine for them, of
// an H200, and makes a plan, which takes neither a GPU nor a driver.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "device/cuda.h"
#include "device/cudnn.h"
#include "kernels/cuda/cudnn_attention_graph.h"
#include "kernels/cuda/cudnn_convolution_graph.h"
#include "kernels/cuda/cudnn_folding.h"
#include "ops/convolution_sizes.h"

namespace lectern::kernels::cuda {
namespace {

TEST(Cudnn, AMissingLibraryIsAnError) {
  EXPECT_THROW(lectern::cuda::load_cudnn({"libnothing.so.9"}), Error);
  EXPECT_THROW(lectern::cuda::load_cudnn({"libm.so.6"}), Error);
}

#if CUDNN_VERSION >= 90800
constexpr std::string_view kH200 =
    R"({"deviceVer":900,"cudaDeviceId":0,"deviceName":"NVIDIA H200","driverVer":13000,)"
    R"("maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],"regsPerBlock":65536,)"
    R"("multiProcessorCount":132,"warpSize":32,"maxSharedMemoryPerBlock":49152,)"
    R"("maxSharedMemoryPerBlockOptin":232448,"reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)"
    R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,"pciDeviceId":0,"isTccDriver":0,)"
    R"("supportCoopLaunch":1,"smClockRateKHz":1980000,"memClockRateKHz":3201000,"l2CacheSize":62914560,)"
    R"("totalGlobalMem":150000000000})";

struct AttentionSizes {
  std::int64_t batch, heads, key_heads, queries, keys, head;
  bool is_causal, has_heads_inside;  ///< in memory [batch, length, heads, head]
};

AttentionShape shape_of(const AttentionSizes& of, std::int64_t heads, std::int64_t rows) {
  const CudnnGraph::Sizes sizes{of.batch, heads, rows, of.head};
  if (!of.has_heads_inside) return {sizes, CudnnGraph::contiguous(sizes)};
  return {sizes, {rows * heads * of.head, of.head, heads * of.head, 1}};
}

AttentionForm form_of(const AttentionSizes& sizes, Dtype dtype) {
  const AttentionShape queries = shape_of(sizes, sizes.heads, sizes.queries);
  const AttentionShape keys = shape_of(sizes, sizes.key_heads, sizes.keys);
  return {dtype, sizes.is_causal, queries, keys, keys, queries, queries, queries, keys, keys};
}

class CudnnPlans : public testing::Test {
 protected:
  void SetUp() override {
    // Before cuDNN looks for libcuda.so.1, which it then finds is there.
    if (dlopen(LECTERN_STAND_IN_DRIVER, RTLD_NOW | RTLD_GLOBAL) == nullptr) GTEST_SKIP() << dlerror();
    if (lectern::cuda::cudnn_version() < 90800)
      GTEST_SKIP() << "needs cuDNN 9.8 or later, found " << lectern::cuda::cudnn_version();
    device_.emplace(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    device_->set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, std::ssize(kH200), kH200.data());
    device_->finalize();
  }

  void expect_plans(const AttentionSizes& sizes, Dtype dtype) const {
    const AttentionForm form = form_of(sizes, dtype);
    CudnnGraph forward, stored, added;
    add_attention(forward, form);
    add_attention_gradient(stored, form, QueryGradientSum::stores_pairs);
    add_attention_gradient(added, form, QueryGradientSum::adds);
    const auto plan = forward.plan({nullptr, &*device_});
    ASSERT_NE(plan, nullptr);
    EXPECT_LT(plan->workspace_bytes(), 1 << 20);
    const auto storing = stored.plan({nullptr, &*device_});
    ASSERT_NE(storing, nullptr);
    EXPECT_GE(storing->workspace_bytes(),
              sizes.batch * sizes.heads * sizes.queries * sizes.keys * std::int64_t{2});
    EXPECT_LT(storing->workspace_bytes(), attention_pair_bytes(form) + (std::int64_t{64} << 20));
    const auto adding = added.plan({nullptr, &*device_}, {.is_deterministic = false});
    ASSERT_NE(adding, nullptr);
    EXPECT_LT(adding->workspace_bytes(), 1 << 20);
  }

  std::optional<CudnnDescriptor> device_;
};

TEST_F(CudnnPlans, OfLongSequences) {
  expect_plans({1, 16, 16, 16384, 16384, 128, true, false}, bfloat16);
}

TEST_F(CudnnPlans, OfHeadsInside) {
  expect_plans({2, 4, 4, 1024, 512, 64, false, true}, float16);
}

TEST_F(CudnnPlans, OfGroupsAndAnyLength) {
  expect_plans({2, 8, 2, 257, 300, 40, true, false}, bfloat16);
}

TEST_F(CudnnPlans, OfOneQuery) {
  expect_plans({2, 4, 1, 1, 300, 64, false, false}, bfloat16);
}

TEST_F(CudnnPlans, OfConvolutions) {
  const ConvolutionSizes pictures = test::picture_sizes(32, 64, 64, 56);
  const ConvolutionSizes sounds{.dims = 1,
                                .batch = 2,
                                .groups = 2,
                                .in_channels = 4,
                                .out_channels = 6,
                                .input = {8, 0},
                                .kernel = {3, 0},
                                .output = {6, 0},
                                .stride = {1, 0},
                                .dilation = {1, 0},
                                .padding_before = {0, 0},
                                .padding_after = {0, 0}};
  for (const ConvolutionSizes* sizes : {&pictures, &sounds}) {
    for (const CudnnDirection direction :
         {CudnnDirection::forward, CudnnDirection::input_gradient, CudnnDirection::weight_gradient}) {
      for (const bool keeps_float32 : {false, true}) {
        CudnnGraph graph;
        add_convolution(graph, convolution_form_of(direction, *sizes));
        const auto plan = graph.plan({nullptr, &*device_}, {keeps_float32, kMostConvolutionWorkspace});
        ASSERT_NE(plan, nullptr) << static_cast<int>(direction);
        EXPECT_LE(plan->workspace_bytes(), kMostConvolutionWorkspace);
      }
    }
  }
}
#endif

/// Of these sizes of the batch and strides of queries and keys.
std::optional<AttentionFolding> folding_of(AttentionProblem& problem,
                                           const std::array<std::int64_t, 4>& batch,
                                           const std::array<std::int64_t, 4>& queries,
                                           const std::array<std::int64_t, 4>& keys) {
  problem.batch = batch;
  problem.queries = problem.keys = 10;
  problem.head = 8;
  problem.query = {nullptr, queries, 8, 1};
  problem.key = problem.value = {nullptr, keys, 8, 1};
  return attention_folding(problem, {&problem.query});
}

TEST(AttentionFolding, OfBatchAndHeads) {
  AttentionProblem problem{};
  const auto folding = folding_of(problem, {1, 1, 2, 3}, {0, 0, 240, 80}, {0, 0, 240, 80});
  ASSERT_TRUE(folding);
  const AttentionShape shape = folding->queries(problem, problem.query);
  EXPECT_EQ(shape.sizes, (CudnnGraph::Sizes{2, 3, 10, 8}));
  EXPECT_EQ(shape.strides, (CudnnGraph::Sizes{240, 80, 8, 1}));
  EXPECT_EQ(folding->keys(problem, problem.key), shape);
}

TEST(AttentionFolding, OfNoneAndOfOneDimension) {
  AttentionProblem problem{};
  auto folding = folding_of(problem, {1, 1, 1, 1}, {}, {});
  ASSERT_TRUE(folding);
  EXPECT_EQ(folding->queries(problem, problem.query).sizes, (CudnnGraph::Sizes{1, 1, 10, 8}));
  EXPECT_EQ(folding->queries(problem, problem.query).strides, (CudnnGraph::Sizes{80, 80, 8, 1}));
  folding = folding_of(problem, {1, 1, 5, 1}, {0, 0, 80, 0}, {0, 0, 80, 0});
  ASSERT_TRUE(folding);
  EXPECT_EQ(folding->queries(problem, problem.query).sizes, (CudnnGraph::Sizes{1, 5, 10, 8}));
}

TEST(AttentionFolding, OfGroupedHeads) {
  AttentionProblem problem{};
  auto folding = folding_of(problem, {1, 2, 3, 4}, {0, 960, 320, 80}, {0, 240, 80, 0});
  ASSERT_TRUE(folding);
  AttentionShape queries = folding->queries(problem, problem.query);
  EXPECT_EQ(queries.sizes, (CudnnGraph::Sizes{2, 12, 10, 8}));
  EXPECT_EQ(queries.strides, (CudnnGraph::Sizes{960, 80, 8, 1}));
  EXPECT_EQ(folding->keys(problem, problem.key).sizes, (CudnnGraph::Sizes{2, 3, 10, 8}));
  EXPECT_EQ(folding->keys(problem, problem.key).strides, (CudnnGraph::Sizes{240, 80, 8, 1}));
  // Of one dimension besides, which are heads too.
  folding = folding_of(problem, {1, 2, 1, 4}, {0, 320, 0, 80}, {0, 80, 0, 0});
  ASSERT_TRUE(folding);
  queries = folding->queries(problem, problem.query);
  EXPECT_EQ(queries.sizes, (CudnnGraph::Sizes{1, 8, 10, 8}));
  EXPECT_EQ(folding->keys(problem, problem.key).sizes, (CudnnGraph::Sizes{1, 2, 10, 8}));
}

TEST(AttentionFolding, OfMoreDimensionsWhereTheyLieTogether) {
  AttentionProblem problem{};
  const auto folding = folding_of(problem, {2, 3, 4, 5}, {4800, 1600, 400, 80}, {4800, 1600, 400, 80});
  ASSERT_TRUE(folding);
  EXPECT_EQ(folding->queries(problem, problem.query).sizes, (CudnnGraph::Sizes{24, 5, 10, 8}));
  EXPECT_FALSE(folding_of(problem, {1, 2, 3, 4}, {0, 320, 960, 80}, {0, 320, 960, 80}));
}

TEST(AttentionFolding, NotOfRepeatedQueriesOrBatches) {
  AttentionProblem problem{};
  EXPECT_FALSE(folding_of(problem, {1, 1, 2, 3}, {0, 0, 0, 80}, {0, 0, 240, 80}));
  EXPECT_FALSE(folding_of(problem, {1, 1, 2, 3}, {0, 0, 240, 80}, {0, 0, 0, 80}));
  EXPECT_FALSE(folding_of(problem, {1, 1, 1, 70000}, {0, 0, 0, 80}, {0, 0, 0, 80}));
}

TEST(AttentionFolding, NotOfRepeatedRows) {
  AttentionProblem problem{};
  ASSERT_TRUE(folding_of(problem, {1, 1, 2, 3}, {0, 0, 240, 80}, {0, 0, 240, 80}));
  const AttentionMatrices grad{nullptr, {0, 0, 24, 8}, 0, 1};
  EXPECT_FALSE(attention_folding(problem, {&problem.query, &grad}));
  problem.queries = 1;
  EXPECT_TRUE(attention_folding(problem, {&problem.query, &grad}));
}

}  // namespace
}  // namespace lectern::kernels::cuda
