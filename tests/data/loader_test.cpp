#include "data/loader.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "data/tokens.h"
#include "ops/compare.h"
#include "ops/elementwise.h"

namespace lectern {
namespace {

std::shared_ptr<BatchSource> source() {
  return std::make_shared<RandomTokenBatches>(arange(10'000, {.device = cpu}), 4, 16, 5);
}

Tensor next_inputs(DataLoader& loader) {
  return loader.next()[0].cpu();
}

TEST(DataLoader, BringsTheSourcesBatches) {
  const auto expected = source();
  DataLoader loader(source());
  for (int i = 0; i < 20; ++i) {
    const std::vector<Tensor> batch = loader.next();
    const std::vector<Tensor> same = expected->next();
    ASSERT_EQ(batch.size(), 2U);
    EXPECT_EQ(batch[0].device(), default_device());
    EXPECT_TRUE(batch[0].cpu().equal(same[0]));
    EXPECT_TRUE(batch[1].cpu().equal(same[0] + 1));
  }
}

TEST(DataLoader, ItsStateIsThatOfWhatItHasGivenOut) {
  DataLoader loader(source(), default_device(), 4);
  const StateDict first = loader.state_dict();
  const Tensor batch = next_inputs(loader);
  const StateDict second = loader.state_dict();
  const Tensor next = next_inputs(loader);
  loader.load_state_dict(second);
  EXPECT_TRUE(next_inputs(loader).equal(next));
  DataLoader other(source());
  other.next();
  other.load_state_dict(first);
  EXPECT_TRUE(next_inputs(other).equal(batch));
}

/// Its state is a tensor that each batch changes.
class Counting : public BatchSource {
 public:
  std::vector<Tensor> next() override { return {count_.add_(1).clone()}; }
  StateDict state_dict() const override { return {{"count", count_}}; }
  void load_state_dict(const StateDict& state) override { count_.copy_(state.at("count")); }

 private:
  Tensor count_ = zeros({}, {.dtype = int64, .device = cpu});
};

TEST(DataLoader, ItsStateDoesNotGoOnWithTheSource) {
  DataLoader loader(std::make_shared<Counting>());
  const StateDict first = loader.state_dict();
  for (std::int64_t i = 1; i < 4; ++i) {
    EXPECT_EQ(next_inputs(loader).item<std::int64_t>(), i);
    EXPECT_EQ(loader.state_dict().at("count").item<std::int64_t>(), i);
  }
  loader.load_state_dict(first);
  EXPECT_EQ(next_inputs(loader).item<std::int64_t>(), 1);
}

TEST(DataLoader, AStateThatIsNoneChangesNothing) {
  DataLoader loader(source());
  const StateDict state = loader.state_dict();
  EXPECT_THROW(loader.load_state_dict({}), TensorError);
  EXPECT_TRUE(next_inputs(loader).equal(source()->next()[0]));
}

class Failing : public BatchSource {
 public:
  std::vector<Tensor> next() override { throw std::runtime_error("the disk is gone"); }
  StateDict state_dict() const override { return {}; }
  void load_state_dict(const StateDict&) override {}
};

TEST(DataLoader, ThrowsWhatTheSourceThrows) {
  DataLoader loader(std::make_shared<Failing>());
  EXPECT_THROW(loader.next(), std::runtime_error);
  EXPECT_THROW(loader.next(), std::runtime_error);
  EXPECT_THROW(DataLoader(source(), default_device(), 0), TensorError);
  EXPECT_THROW(DataLoader(nullptr), TensorError);
}

class Forgetful : public BatchSource {
 public:
  std::vector<Tensor> next() override { return {zeros({1}, {.device = cpu})}; }
  StateDict state_dict() const override { return {}; }
  void load_state_dict(const StateDict& state) override {
    if (!state.contains("good")) throw std::runtime_error("no state");
  }
};

TEST(DataLoader, OfASourceThatDoesNotTakeItsOwnState) {
  DataLoader loader(std::make_shared<Forgetful>());
  EXPECT_THROW(loader.load_state_dict({}), std::runtime_error);
  EXPECT_THROW(loader.next(), TensorError);
  EXPECT_THROW(loader.load_state_dict({}), std::runtime_error);
  loader.load_state_dict({{"good", zeros({1}, {.device = "cpu"})}});  // this GPU has no kernels
  EXPECT_EQ(loader.next().size(), 1U);
}

}  // namespace
}  // namespace lectern
