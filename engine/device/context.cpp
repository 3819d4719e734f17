#include "device/context.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "base/tensor_error.h"

namespace lectern::cuda {
namespace {

bool is_synchronous() {
  const char* value = std::getenv("LECTERN_CUDA_SYNC");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

struct System {
  std::unique_ptr<Context> context;
  std::string reason;

  System() {
    if (auto driver = find_driver(&reason)) context = std::make_unique<Context>(std::move(driver));
    started.store(context.get(), std::memory_order_release);
  }

  static constinit std::atomic<Context*> started;
};
constinit std::atomic<Context*> System::started{nullptr};

/// Initialised on first use, and never destroyed: tensors of static lifetime are freed after everything else.
const System& system() {
  static const System& found = *new System;
  return found;
}

constinit Context* override = nullptr;

}  // namespace

Context::Context(std::unique_ptr<Driver> driver)
    : driver_(std::move(driver)), synchronous_(is_synchronous()), pinned_(*driver_) {
  const int count = std::min(driver_->device_count(), kMaxDevices);
  for (int device = 0; device < count; ++device) {
    allocators_.push_back(std::make_unique<DeviceAllocator>(*driver_, device));
  }
}

void Context::check_device(int device) const {
  if (device >= 0 && device < device_count()) return;
  throw TensorError("Device", "device",
                    device_count() == 1 ? "cuda:0" : "cuda:0 to cuda:" + std::to_string(device_count() - 1),
                    "cuda:" + std::to_string(device));
}

DeviceAllocator& Context::allocator(int device) {
  check_device(device);
  return *allocators_[static_cast<std::size_t>(device)];
}

IndexFault& Context::index_fault() {
  const std::lock_guard lock(mutex_);
  if (index_fault_ == nullptr) index_fault_ = new (pinned_.allocate(sizeof(IndexFault))) IndexFault{};
  return *index_fault_;
}

void Context::record_stream(const void* data, const Stream& stream) {
  if (pinned_.record_stream(data, stream)) return;
  for (const auto& allocator : allocators_) {
    if (allocator->record_stream(data, stream)) return;
  }
}

StreamHandle Context::next_stream(int device, int priority) {
  check_device(device);
  const DeviceGuard guard(device);
  const std::lock_guard lock(mutex_);
  Streams& streams = streams_[{device, priority < 0}];
  StreamHandle& handle = streams.handles[streams.next];
  if (handle == nullptr) check_status("Stream", driver_->create_stream(&handle, priority));
  streams.next = (streams.next + 1) % streams.handles.size();
  return handle;
}

StreamHandle Context::take_stream(int device, int priority) {
  check_device(device);
  const DeviceGuard guard(device);
  const std::lock_guard lock(mutex_);
  std::vector<StreamHandle>& spare = spare_streams_[{device, priority}];
  StreamHandle handle = nullptr;
  if (spare.empty()) {
    check_status("Stream", driver_->create_stream(&handle, priority));
  } else {
    handle = spare.back();
    spare.pop_back();
  }
  return handle;
}

void Context::give_back(StreamHandle stream, int device, int priority) {
  const std::lock_guard lock(mutex_);
  spare_streams_[{device, priority}].push_back(stream);
}

Context* find_context() {
  return override != nullptr ? override : system().context.get();
}

Context* started_context() {
  return override != nullptr ? override : System::started.load(std::memory_order_acquire);
}

Context& context() {
  if (Context* found = find_context()) return *found;
  throw TensorError("cuda", "no GPU is available: " + unavailable_reason());
}

std::string unavailable_reason() {
  return override != nullptr ? "" : system().reason;
}

ContextOverride::ContextOverride(std::unique_ptr<Driver> driver)
    : context_(std::make_unique<Context>(std::move(driver))) {
  override = context_.get();
}

ContextOverride::~ContextOverride() {
  context_.reset();
  override = nullptr;
}

}  // namespace lectern::cuda
