#include "device/faults.h"

#include "base/tensor_error.h"
#include "device/cuda.h"
#include "device/fake_gpus.h"
#include "device/stream.h"

namespace lectern::cuda {
namespace {

class LostWork : public test::FakeGpus {
 protected:
  ~LostWork() override { forget_lost_work(); }
};

void expect_told(const std::function<void()>& wait) {
  try {
    wait();
    ADD_FAILURE() << "no error";
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(), "all_reduce: rank 2 is gone");
  }
}

TEST_F(LostWork, IsToldByAllThatWaits) {
  const Event before = current_stream().record_event();
  EXPECT_NO_THROW(synchronize());
  report_lost_work("all_reduce", "rank 2 is gone");
  report_lost_work("broadcast", "and so is rank 3");
  for (int i = 0; i < 2; ++i) {
    expect_told([] { synchronize(); });
    expect_told([] { current_stream().synchronize(); });
    expect_told([&] { before.synchronize(); });
    expect_told([] { check("add"); });
  }
  EXPECT_NO_THROW(before.wait_on_host());
  forget_lost_work();
  EXPECT_NO_THROW(synchronize());
}

}  // namespace
}  // namespace lectern::cuda
