#include "ops/random_program.h"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(RandomPrograms, DoWhatANaiveModelDoes) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(40 + seed % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_NO_THROW(test::run_random_program(bytes)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lectern
