#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "data/loader.h"
#include "data/tokens.h"
#include "device/cuda.h"
#include "simulated_gpu/overlapping_driver.h"

namespace lectern {
namespace {

constexpr std::int64_t kBatch = 64, kTime = 100;

std::shared_ptr<BatchSource> large_batches() {
  return std::make_shared<RandomTokenBatches>(arange(10'000, {.device = cpu}), kBatch, kTime, 5);
}

std::int64_t sum(const void* inputs) {
  const auto* const numbers = static_cast<const std::int64_t*>(inputs);
  return std::accumulate(numbers, numbers + kBatch * kTime, std::int64_t{0});
}

TEST(DataLoaderOnAGpu, IsAheadOfKernelsAndCopiesThatReadItsBatches) {
  std::vector<std::int64_t> sums(20);
  std::vector<Tensor> targets;
  DataLoader loader(large_batches(), Device("cuda"));
  for (std::int64_t& result : sums) {
    const std::vector<Tensor> batch = loader.next();  // whose memory serves again when this scope ends
    test::launch([data = batch[0].data_ptr(), &result] { result = sum(data); });
    targets.push_back(batch[1].to(cpu, true));
  }
  cuda::synchronize();
  const auto expected = large_batches();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::vector<Tensor> batch = expected->next();
    EXPECT_EQ(sums[i], sum(batch[0].data_ptr()));
    EXPECT_TRUE(targets[i].equal(batch[1]));
  }
}

}  // namespace
}  // namespace lectern
