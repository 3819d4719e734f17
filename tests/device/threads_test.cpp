#include "device/threads.h"

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

TEST(Threads, AreAsManyAsWereSet) {
  const int before = get_num_threads();
  EXPECT_GE(before, 1);
  set_num_threads(3);
  EXPECT_EQ(get_num_threads(), 3);
  set_num_threads(before);
}

TEST(Threads, AreAtLeastOne) {
  EXPECT_THROW(set_num_threads(0), TensorError);
  EXPECT_THROW(set_num_threads(-2), TensorError);
}

}  // namespace
}  // namespace lectern
