#include "ops/random_program.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(RandomPrograms, DoWhatANaiveModelDoes) {
  // The model reads each element on the host, which waits for a GPU each time.
  const unsigned programs = default_device().is_cuda() ? 100 : 3000;
  for (unsigned seed = 0; seed < programs; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(40 + seed % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_NO_THROW(test::run_random_program(bytes)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lectern
