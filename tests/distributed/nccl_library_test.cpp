#include "distributed/nccl_library.h"

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "distributed/nccl_reduction.h"
#include "distributed/process_group.h"
#include "ops/expect_error.h"

namespace lectern::nccl {
namespace {

TEST(NcclLibrary, AMissingOneSaysWhatToInstall) {
  const std::string message = test::error_of([] { load("all_reduce", {"libnothing.so.1"}); });
  EXPECT_TRUE(message.starts_with("all_reduce: CUDA tensors of several processes need the library NCCL"))
      << message;
  for (const char* part :
       {"install it", "libnccl2", "LD_LIBRARY_PATH", "copy the tensors to the CPU", "libnothing.so.1"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(NcclLibrary, AnOldOneIsNamedWithItsVersion) {
  EXPECT_PROBLEM(load("all_reduce", {LECTERN_OLD_NCCL}), "is NCCL 2.3.7, and 2.14 or later is needed");
}

TEST(NcclLibrary, AnotherLibraryIsRefused) {
  EXPECT_PROBLEM(load("all_reduce", {"libm.so.6"}), "has no ncclGetVersion");
}

TEST(NcclLibrary, TheInstalledOneHasAllThatIsUsed) {
  if (!distributed::is_nccl_available()) GTEST_SKIP() << test::error_of([] { library("needs NCCL"); });
  EXPECT_STREQ(library("test").GetErrorString(Result::success), "no error");
}

TEST(NcclReductions, AreOfTheTypesThatNcclHas) {
  const auto type = [](Dtype dtype) {
    return reduction_of("all_reduce", {distributed::ReduceOp::sum, dtype}).type;
  };
  EXPECT_EQ(type(float64), Type::float64);
  EXPECT_EQ(type(float32), Type::float32);
  EXPECT_EQ(type(float16), Type::float16);
  EXPECT_EQ(type(bfloat16), Type::bfloat16);
  EXPECT_EQ(type(int64), Type::int64);
  EXPECT_EQ(type(int32), Type::int32);
  EXPECT_EQ(type(int8), Type::int8);
  EXPECT_EQ(type(uint8), Type::uint8);
  EXPECT_PROBLEM(type(int16), "all_reduce: NCCL does not reduce int16; convert the tensor to int32");
  EXPECT_PROBLEM(type(float8_e4m3fn), "NCCL does not reduce float8_e4m3fn; convert the tensor to bfloat16");
  EXPECT_PROBLEM(type(float8_e5m2), "NCCL does not reduce float8_e5m2");
}

TEST(NcclReductions, OfBoolsAreMinAndMaxOfBytes) {
  using distributed::ReduceOp;
  const auto op = [](ReduceOp kind, Dtype dtype) { return reduction_of("reduce", {kind, dtype}).op; };
  EXPECT_EQ(op(ReduceOp::sum, float32), Op::sum);
  EXPECT_EQ(op(ReduceOp::avg, float32), Op::avg);
  EXPECT_EQ(op(ReduceOp::product, float32), Op::product);
  EXPECT_EQ(op(ReduceOp::min, float32), Op::min);
  EXPECT_EQ(op(ReduceOp::max, float32), Op::max);
  EXPECT_EQ(op(ReduceOp::sum, bool_), Op::max);
  EXPECT_EQ(op(ReduceOp::max, bool_), Op::max);
  EXPECT_EQ(op(ReduceOp::product, bool_), Op::min);
  EXPECT_EQ(op(ReduceOp::min, bool_), Op::min);
  EXPECT_EQ(reduction_of("reduce", {ReduceOp::sum, bool_}).type, Type::uint8);
}

}  // namespace
}  // namespace lectern::nccl
