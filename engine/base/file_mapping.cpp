#include "base/file_mapping.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

namespace lectern {

FileMapping::FileMapping(const std::filesystem::path& path) {
  const auto fail = [&](const char* reason) {
    throw Error(Place{path.string()}, std::string("cannot be read: ") + reason);
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail(std::strerror(errno));
  struct stat status {};
  const char* problem = nullptr;
  if (::fstat(file, &status) != 0) {
    problem = std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    problem = "it is no regular file";
  } else if (status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size);
    void* const at = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, 0);
    if (at == MAP_FAILED) {
      problem = std::strerror(errno);
    } else {
      data_ = static_cast<std::byte*>(at);
    }
  }
  ::close(file);
  if (problem != nullptr) fail(problem);
}

FileMapping::~FileMapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace lectern
