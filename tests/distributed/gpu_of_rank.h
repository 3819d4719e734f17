#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "device/context.h"
#include "device/fake_driver.h"
#include "distributed/fake_nccl.h"
#include "tensor/tensor.h"

namespace lectern::test {

/// The program's libnccl.so.2 is the fake one from now on, with the ranks of this test.
FakeNccl& load_fake_nccl();

/// This process on a machine with two GPUs in the host's memory, and with the fake NCCL, until the end of the
/// scope. A thread runs the streams; kernels there are none, so that tensors are contiguous.
class GpuOfRank {
 public:
  GpuOfRank();
  ~GpuOfRank();
  GpuOfRank(const GpuOfRank&) = delete;
  GpuOfRank& operator=(const GpuOfRank&) = delete;

  FakeDriver& driver() const { return *driver_; }
  FakeNccl& nccl() const { return *nccl_; }

  Tensor on_gpu(const Tensor& tensor) const;
  /// Until this thread's current stream has no work left. False after ten seconds.
  bool finish() const;
  /// A copy on the CPU, after finish().
  Tensor read(const Tensor& tensor) const;
  /// Nothing that the current stream is given from now on is done before open() was called.
  void close();
  void open() { is_open_ = true; }

 private:
  FakeDriver* driver_ = new FakeDriver(2);
  cuda::ContextOverride override_{std::unique_ptr<cuda::Driver>(driver_)};
  FakeNccl* nccl_ = &load_fake_nccl();
  std::atomic<bool> is_open_ = true, is_ending_ = false;
  std::thread runner_;
};

}  // namespace lectern::test
