#include "tensor/storage.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/memory.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(Storage, CountsItsHandlesAndItsBytes) {
  const std::int64_t before = memory_allocated();
  {
    const Storage storage(4096, cpu);
    EXPECT_EQ(memory_allocated() - before, 4096);
    EXPECT_EQ(storage.use_count(), 1);
    const Storage other = storage;
    EXPECT_EQ(storage.use_count(), 2);
    EXPECT_EQ(storage, other);
    EXPECT_NE(storage.id(), Storage(1, cpu).id());
    std::memset(storage.data_ptr(), 1, 4096);
  }
  EXPECT_EQ(memory_allocated(), before);
}

TEST(Storage, AViewKeepsItAlive) {
  const std::int64_t before = memory_allocated();
  Tensor row;
  {
    const Tensor matrix = ones({8, 8});
    row = matrix[3];
  }
  EXPECT_EQ(memory_allocated() - before, 256);
  EXPECT_EQ(row[7].item<float>(), 1);
  row = Tensor();
  EXPECT_EQ(memory_allocated(), before);
}

TEST(Storage, VersionCountsChangesThroughEveryView) {
  const Tensor x = zeros({2, 3});
  const std::uint64_t fresh = x.storage().version();
  const Tensor y = x.t()[0].detach();
  y.fill_(1);
  x.zero_();
  EXPECT_EQ(x.storage().version(), fresh + 2);
  EXPECT_EQ(y.storage().version(), fresh + 2);
  EXPECT_EQ(x.clone().storage().version(), 0) << "nothing has changed a copy";
}

TEST(Storage, OfSomebodyElseIsReleasedWithTheLastView) {
  std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
  bool released = false;
  {
    Tensor row;
    {
      const Tensor x = from_blob(numbers.data(), {2, 3}, [&] { released = true; });
      row = x[1];
    }
    EXPECT_FALSE(released);
    row[0] = 9;
    EXPECT_EQ(numbers[3], 9);
  }
  EXPECT_TRUE(released);
}

/// Ones, which are computed again whenever they are asked for.
class Ones final : public DeferredElements {
 public:
  void compute(const Storage& storage) override {
    std::ranges::fill_n(static_cast<float*>(storage.allocate_deferred()), 4, 1.F);
    storage.resolve();
  }
};

TEST(Storage, EvictedElementsTakeNoMemoryUntilTheyAreComputed) {
  const MemoryByCategory before = memory_by_category();
  {
    const Storage storage(16, cpu);
    storage.set_category(MemoryCategory::parameter);
    const Tensor x(storage, float32, {4}, {1});
    x.fill_(3);
    const KeptStorage kept(storage);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(memory_by_category()[MemoryCategory::parameter], before[MemoryCategory::parameter] + 16);
      const std::uint64_t version = storage.version();
      storage.evict(std::make_shared<Ones>());
      EXPECT_EQ(memory_by_category(), before);
      EXPECT_EQ(x[2].item<float>(), 1);
      EXPECT_EQ(storage.version(), version);
    }
    storage.evict(std::make_shared<Ones>());
  }
  EXPECT_EQ(memory_by_category(), before);
}

TEST(Storage, ATensorMustLieInside) {
  const Storage storage(16, cpu);
  EXPECT_NO_THROW(Tensor(storage, float32, {4}, {1}));
  EXPECT_THROW(Tensor(storage, float32, {5}, {1}), TensorError);
  EXPECT_THROW(Tensor(storage, float32, {1}, {1}, 4), TensorError);
  EXPECT_NO_THROW(Tensor(storage, float32, {0}, {1}, 4));
  EXPECT_THROW(Tensor(storage, float64, {3}, {1}), TensorError);
}

}  // namespace
}  // namespace lectern
