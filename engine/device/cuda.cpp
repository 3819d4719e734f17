#include "device/cuda.h"

#include <atomic>

#include "device/context.h"
#include "device/faults.h"

namespace lectern::cuda {
namespace {

constinit thread_local int current = 0;
constinit std::atomic<bool> tf32_allowed = false, uses_cudnn = true;

}  // namespace

bool is_available() {
  return find_context() != nullptr;
}

int device_count() {
  const Context* gpus = find_context();
  return gpus == nullptr ? 0 : gpus->device_count();
}

int current_device() {
  return current;
}

void set_device(int device) {
  context().check_device(device);
  check_status("set_device", context().driver().set_device(device));
  current = device;
}

DeviceGuard::~DeviceGuard() {
  if (current == before_) return;
  context().driver().set_device(before_);
  current = before_;
}

DeviceProperties get_device_properties(int device) {
  context().check_device(device);
  DeviceProperties properties;
  check_status("get_device_properties", context().driver().properties(device, &properties));
  return properties;
}

MemoryInfo mem_get_info(int device) {
  context().check_device(device);
  const DeviceGuard guard(device);
  MemoryInfo info;
  check_status("mem_get_info", context().driver().memory_info(&info));
  return info;
}

bool allow_tf32() {
  return tf32_allowed.load(std::memory_order_relaxed);
}

void set_allow_tf32(bool allow) {
  tf32_allowed.store(allow, std::memory_order_relaxed);
}

bool cudnn_enabled() {
  return uses_cudnn.load(std::memory_order_relaxed);
}

void set_cudnn_enabled(bool enabled) {
  uses_cudnn.store(enabled, std::memory_order_relaxed);
}

void synchronize(int device) {
  context().check_device(device);
  const DeviceGuard guard(device);
  check_status("synchronize", context().driver().synchronize());
  raise_faults();
}

}  // namespace lectern::cuda
