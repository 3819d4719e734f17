#include "base/file_mapping.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/descriptor.h"
#include "base/error.h"

namespace lectern {

FileMapping::FileMapping(const std::filesystem::path& path) {
  const auto fail = [&](const char* reason) {
    throw Error(Place{path.string()}, std::string("cannot be read: ") + reason);
  };
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("it is no regular file");
  if (status.st_size == 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file.get(), 0);
  if (at == MAP_FAILED) fail(std::strerror(errno));
  data_ = static_cast<std::byte*>(at);
}

FileMapping::~FileMapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace lectern
