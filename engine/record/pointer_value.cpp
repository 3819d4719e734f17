#include "record/pointer_value.h"

#include <algorithm>
#include <array>

#include <sys/uio.h>
#include <unistd.h>

#include "record/fault_guard.h"

namespace lectern::values {
namespace {

constexpr std::size_t kBlock = 4096;  // memory can be read, or cannot, in multiples of that
constexpr std::size_t kLongestString = std::size_t{1} << 20;

/// The kernel copies the process's own memory and fails where a plain read would be a fault.
bool copy(const void* from, void* to, std::size_t bytes) {
  iovec local{to, bytes}, remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace

bool readable(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if (begin + bytes < begin || poisoned(address, bytes)) return false;
  char byte = 0;
  for (std::uintptr_t at = begin; at < begin + bytes; at = (at / kBlock + 1) * kBlock) {
    if (!copy(static_cast<const char*>(address) + (at - begin), &byte, 1)) return false;
  }
  return true;
}

std::size_t readable_length(const void* characters, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(characters);
  std::array<char, kBlock> block{};
  for (std::size_t done = 0; done < kLongestString;) {
    const std::uintptr_t at = begin + done;
    const std::size_t bytes = std::max(size, (kBlock - at % kBlock) / size * size);
    if (!copy(static_cast<const char*>(characters) + done, block.data(), bytes)) break;
    for (std::size_t i = 0; i < bytes; i += size) {
      const char* const character = block.data() + i;
      if (std::all_of(character, character + size, [](char byte) { return byte == 0; }))
        return (done + i) / size;
    }
    done += bytes;
  }
  return std::string_view::npos;
}

}  // namespace lectern::values
