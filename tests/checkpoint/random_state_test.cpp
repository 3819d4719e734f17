#include "checkpoint/random_state.h"

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/random.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(RandomState, TheSameNumbersFollow) {
  manual_seed(7);
  randn({5});
  const StateDict state = rng_state();
  const Tensor first = randn({9});
  randn({100});
  load_rng_state(state);
  EXPECT_TRUE(randn({9}).equal(first));
}

TEST(RandomState, OfAGenerator) {
  Generator generator(default_device());
  generator.manual_seed(3);
  const Tensor state = get_rng_state(generator);
  const Tensor first = rand({4}, {}, &generator);
  set_rng_state(generator, state);
  EXPECT_TRUE(rand({4}, {}, &generator).equal(first));
}

TEST(RandomState, RefusesWhatIsNone) {
  Generator generator;
  EXPECT_THROW(set_rng_state(generator, zeros({5'056})), TensorError);
  EXPECT_THROW(set_rng_state(generator, zeros({10}, {.dtype = uint8})), TensorError);
  EXPECT_THROW(load_rng_state({{"cuda:99", zeros({16}, {.dtype = uint8})}}), TensorError);
  EXPECT_THROW(load_rng_state({{"tpu", zeros({16}, {.dtype = uint8})}}), TensorError);
}

}  // namespace
}  // namespace lectern
