#include "device/device.h"

#include <charconv>

#include "base/tensor_error.h"
#include "device/cuda.h"

namespace lectern {

Device::Device(std::string_view name) : type_(Type::cuda), index_(0) {
  constexpr std::string_view kPrefix = "cuda:";
  if (name == "cpu") {
    type_ = Type::cpu;
  } else if (name == "cuda") {
    index_ = cuda::current_device();
  } else {
    const char* const end = name.data() + name.size();
    const bool numbered =
        name.starts_with(kPrefix) && name.size() > kPrefix.size() && name[kPrefix.size()] != '-';
    const char* const digits = numbered ? name.data() + kPrefix.size() : end;
    const auto [stop, problem] = std::from_chars(digits, end, index_);
    if (!numbered || stop != end || problem != std::errc()) {
      throw TensorError("Device", "name", "\"cpu\", \"cuda\" or \"cuda:N\"", '"' + std::string(name) + '"');
    }
  }
}

std::string Device::name() const {
  return is_cpu() ? "cpu" : "cuda:" + std::to_string(index_);
}

}  // namespace lectern
