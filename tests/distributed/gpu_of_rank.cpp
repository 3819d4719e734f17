#include "distributed/gpu_of_rank.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/shared_library.h"
#include "distributed/ranks.h"

namespace lectern::test {

/// What is loaded already is found by its name.
FakeNccl& load_fake_nccl() {
  FakeNccl* (*find)() = nullptr;
  SharedLibrary({LECTERN_FAKE_NCCL}).find(find, "lectern_fake_nccl");
  FakeNccl& nccl = *find();
  if (rank() >= 0) nccl.folder = std::filesystem::path(meeting_folder()).parent_path().string();
  return nccl;
}

GpuOfRank::GpuOfRank() {
  nccl_->give = [this](cuda::StreamHandle stream, std::function<bool()> work) {
    driver_->enqueue(stream, std::move(work));
  };
  runner_ = std::thread([this] {
    while (!is_ending_) {
      driver_->run_all();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
}

GpuOfRank::~GpuOfRank() {
  is_ending_ = true;
  runner_.join();
  cuda::set_device(0);
}

Tensor GpuOfRank::on_gpu(const Tensor& tensor) const {
  return tensor.to(Device("cuda"));
}

bool GpuOfRank::finish() const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!cuda::current_stream().query()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

void GpuOfRank::close() {
  is_open_ = false;
  driver_->enqueue(cuda::current_stream().handle(), [this] { return is_open_.load(); });
}

Tensor GpuOfRank::read(const Tensor& tensor) const {
  EXPECT_TRUE(finish());
  return tensor.to(cpu);
}

}  // namespace lectern::test
