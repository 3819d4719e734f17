#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace lectern {

/// A whole file as memory. Nothing is read until it is looked at, so that the file may be larger than the
/// memory. What is written there stays in this program; the file does not change.
///
/// A file must not be made shorter meanwhile: what it lost is a SIGBUS to look at. (write_file replaces a
/// file, and leaves the old one to those who have it open.)
class FileMapping {
 public:
  /// Throws Error naming the file and the system's reason; a folder, a pipe or a device is one.
  explicit FileMapping(const std::filesystem::path& path);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  /// Null when the file is empty.
  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace lectern
