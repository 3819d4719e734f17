#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/cuda.h"
#include "device/failing_launch.h"
#include "device/stream.h"

namespace lectern::cuda {
namespace {

// Each copy of the CUDA runtime knows only its own errors, and shared libraries may bring several.
TEST(GpuLaunch, ErrorsAreSeenByTheDevice) {
  if (!is_available()) GTEST_SKIP() << "needs a GPU: " << unavailable_reason();
  EXPECT_NO_THROW(check("before"));
  test::launch_too_many_threads();
  EXPECT_THROW(check("nothing"), TensorError);
  EXPECT_NO_THROW(check("after"));
}

TEST(GpuLaunch, ErrorsOutliveAQueryOfWorkThatIsNotDone) {
  if (!is_available()) GTEST_SKIP() << "needs a GPU: " << unavailable_reason();
  test::launch_long_work();
  Event event;
  event.record();
  test::launch_too_many_threads();
  EXPECT_FALSE(event.query());
  EXPECT_THROW(check("nothing"), TensorError);
  synchronize();
  EXPECT_NO_THROW(check("after"));
}

}  // namespace
}  // namespace lectern::cuda
