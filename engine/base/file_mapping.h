#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace lectern {

/// A whole file, privately mapped into memory. Pages are read on first access, so the file may be larger than
/// memory. Writes stay in this process; the file does not change.
///
/// The file must not be truncated meanwhile: accessing the lost part raises SIGBUS. (write_file replaces a
/// file; whoever has the old one open keeps it.)
class FileMapping {
 public:
  /// Throws Error naming the file and the system's reason, as for a folder, a pipe or a device.
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
