#pragma once

#include <filesystem>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace lectern {

/// Closes a file's descriptor; a negative one is none.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }

  /// Whether the path, of which no link is followed, still names the open file.
  bool is_named(const std::filesystem::path& path) const {
    struct stat opened {
    }, named{};
    return ::fstat(fd_, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  }

 private:
  int fd_;
};

}  // namespace lectern
