#include "device/cuda.h"

#include "device/context.h"
#include "device/cuda_errors.h"
#include "device/index_fault.h"

namespace lectern::cuda {
namespace {

constinit thread_local int current = 0;

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
  must("set_device", context().driver().set_device(device));
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
  must("get_device_properties", context().driver().properties(device, &properties));
  return properties;
}

MemoryInfo mem_get_info(int device) {
  context().check_device(device);
  const DeviceGuard guard(device);
  MemoryInfo info;
  must("mem_get_info", context().driver().memory_info(&info));
  return info;
}

void synchronize(int device) {
  context().check_device(device);
  const DeviceGuard guard(device);
  must("synchronize", context().driver().synchronize());
  raise_index_fault();
}

}  // namespace lectern::cuda
