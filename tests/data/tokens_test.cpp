#include "data/tokens.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/random.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

const TensorOptions kHost{.device = cpu};

TEST(Tokens, TargetsFollowTheInputs) {
  manual_seed(0);
  const TokenBatch batch = get_batch(arange(1, 11, 1, kHost), 2, 4);
  // torch.manual_seed(0); torch.randint(6, (2,)) gives 2 and 3.
  EXPECT_TRUE(batch.inputs.equal(tensor({{3, 4, 5, 6}, {4, 5, 6, 7}}, kHost)));
  EXPECT_TRUE(batch.targets.equal(tensor({{4, 5, 6, 7}, {5, 6, 7, 8}}, kHost)));
}

TEST(Tokens, EveryPlaceComesUpAndNoOther) {
  manual_seed(1);
  const TokenBatch batch = get_batch(arange(6, kHost), 200, 4);
  EXPECT_EQ(batch.inputs.select(1, 0).min().item<int>(), 0);
  EXPECT_EQ(batch.inputs.select(1, 0).max().item<int>(), 1);
  EXPECT_EQ(batch.targets.max().item<int>(), 5);
  EXPECT_TRUE(get_batch(arange(5, kHost), 1, 4).targets.equal(tensor({{1, 2, 3, 4}}, kHost)));
}

TEST(Tokens, OfAnyIntegers) {
  const test::TemporaryFolder folder;
  const auto file = folder / "tokens";
  write_file(file, std::string("\xff\xff\x01\x00\x00\x80", 6));
  std::int64_t read[3];
  Tokens(ArrayFile(file, "uint16")).read(0, 3, read);
  EXPECT_EQ(read[0], 65'535);
  EXPECT_EQ(read[2], 32'768);
  Tokens(ArrayFile(file, "int16")).read(1, 2, read);
  EXPECT_EQ(read[0], 1);
  EXPECT_EQ(read[1], -32'768);
  for (const Dtype dtype : {int64, int32, int16, int8, uint8}) {
    Tokens(tensor({1, 2, 3}, {.dtype = dtype, .device = cpu})).read(1, 2, read);
    EXPECT_EQ(read[1], 3);
  }
  Tokens(arange(6, kHost).slice(0, 0, 6, 2)).read(0, 3, read);
  EXPECT_EQ(read[2], 4);
}

TEST(Tokens, OfAFileLargerThanTheMemory) {
  const test::TemporaryFolder folder;
  write_file(folder / "huge", "");
  ASSERT_EQ(::truncate((folder / "huge").c_str(), off_t{1} << 42), 0);
  const Tokens tokens = ArrayFile(folder / "huge", "uint16");
  EXPECT_EQ(tokens.size(), std::int64_t{1} << 41);
  EXPECT_TRUE(get_batch(tokens, 4, 8).targets.equal(zeros({4, 8}, {.dtype = int64, .device = cpu})));
}

TEST(Tokens, WhatIsNoneIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(Tokens(zeros({4}, kHost)), TensorError);
  EXPECT_THROW(Tokens(zeros({4}, {.dtype = bool_, .device = cpu})), TensorError);
  EXPECT_THROW(Tokens(arange(4, kHost).view({2, 2})), TensorError);
  save_npy(zeros({2, 2}, {.dtype = int64}), folder / "matrix.npy");
  EXPECT_THROW(Tokens(ArrayFile(folder / "matrix.npy")), Error);
  save_npy(zeros({2}), folder / "real.npy");
  EXPECT_THROW(Tokens(ArrayFile(folder / "real.npy")), Error);
  for (const auto& [batch, time] : {std::pair(1, 4), std::pair(0, 2), std::pair(2, 0)})
    EXPECT_THROW(get_batch(arange(4, kHost), batch, time), TensorError);
}

TEST(Tokens, BatchesGoOnFromTheirState) {
  const Tokens tokens(arange(1'000, kHost));
  RandomTokenBatches batches(tokens, 3, 5, 11);
  batches.next();
  const StateDict state = batches.state_dict();
  const std::vector<Tensor> expected = batches.next();
  RandomTokenBatches resumed(tokens, 3, 5, 99);
  resumed.load_state_dict(state);
  EXPECT_TRUE(resumed.next()[0].equal(expected[0]));
  EXPECT_TRUE(expected[1].equal(expected[0] + 1));
}

}  // namespace
}  // namespace lectern
