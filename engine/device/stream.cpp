#include "device/stream.h"

#include <array>
#include <exception>
#include <string>
#include <utility>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/faults.h"

namespace lectern::cuda {
namespace {

constinit thread_local std::array<StreamHandle, Context::kMaxDevices> current_streams{};

StreamHandle& current_handle(int device) {
  context().check_device(device);
  return current_streams[static_cast<std::size_t>(device)];
}

}  // namespace

Stream::Stream(int device, int priority) : Stream(device, context().next_stream(device, priority)) {}

void Stream::synchronize() const {
  const DeviceGuard guard(device_);
  check_status("Stream.synchronize", context().driver().synchronize(handle_));
  raise_faults();
}

bool Stream::query() const {
  const DeviceGuard guard(device_);
  bool done = false;
  check_status("Stream.query", context().driver().query(handle_, &done));
  return done;
}

Event Stream::record_event() const {
  Event event;
  event.record(*this);
  return event;
}

void Stream::wait_event(const Event& event) const {
  event.wait(*this);
}

void Stream::wait_stream(const Stream& other) const {
  wait_event(other.record_event());
}

OwnStream::OwnStream(int device, int priority)
    : priority_(priority), stream_(device, context().take_stream(device, priority)) {}

OwnStream::~OwnStream() {
  if (Context* const gpus = find_context()) gpus->give_back(stream_.handle(), stream_.device(), priority_);
}

Stream current_stream(int device) {
  return {device, current_handle(device)};
}

StreamHandle current_stream_handle() {
  return current_handle(current_device());
}

Stream default_stream(int device) {
  context().check_device(device);
  return {device, StreamHandle{nullptr}};
}

StreamGuard::StreamGuard(const Stream& stream)
    : device_(stream.device()), before_(current_stream(stream.device())) {
  notify_stream_watch();
  current_handle(stream.device()) = stream.handle();
}

StreamGuard::~StreamGuard() {
  try {
    notify_stream_watch();
  } catch (const std::exception&) {  // what could not be computed fails again when it is read
  }
  current_streams[static_cast<std::size_t>(before_.device())] = before_.handle();
}

Event::Event(Event&& other) noexcept
    : timed_(other.timed_), device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}

Event& Event::operator=(Event&& other) noexcept {
  std::swap(timed_, other.timed_);
  std::swap(device_, other.device_);
  std::swap(handle_, other.handle_);
  return *this;
}

Event::~Event() {
  if (handle_ != nullptr) context().driver().destroy(handle_);
}

void Event::record(const Stream& stream) {
  notify_stream_watch();
  const DeviceGuard guard(stream.device());
  if (handle_ == nullptr) {
    check_status("Event.record", context().driver().create_event(&handle_, timed_));
    device_ = stream.device();
  }
  if (device_ != stream.device()) {
    throw TensorError("Event.record", "stream", "on cuda:" + std::to_string(device_) + ", as before",
                      "on cuda:" + std::to_string(stream.device()));
  }
  check_status("Event.record", context().driver().record(handle_, stream.handle()));
}

void Event::wait(const Stream& stream) const {
  if (handle_ == nullptr) return;
  const DeviceGuard guard(stream.device());
  check_status("Event.wait", context().driver().wait(stream.handle(), handle_));
}

bool Event::query() const {
  if (handle_ == nullptr) return true;
  bool done = false;
  check_status("Event.query", context().driver().query(handle_, &done));
  return done;
}

void Event::synchronize() const {
  wait_on_host();
  if (handle_ != nullptr) raise_faults();
}

void Event::wait_on_host() const {
  if (handle_ != nullptr) check_status("Event.synchronize", context().driver().synchronize(handle_));
}

double Event::elapsed_time(const Event& end) const {
  if (!timed_ || !end.timed_) {
    throw TensorError("Event.elapsed_time", "both events must be created with timing enabled: Event(true)");
  }
  if (handle_ == nullptr || end.handle_ == nullptr) {
    throw TensorError("Event.elapsed_time", "both events must have been recorded");
  }
  if (!query() || !end.query()) {
    throw TensorError("Event.elapsed_time", "both events must be complete: synchronize() first");
  }
  float milliseconds = 0;
  check_status("Event.elapsed_time", context().driver().elapsed(handle_, end.handle_, &milliseconds));
  return static_cast<double>(milliseconds);
}

}  // namespace lectern::cuda
