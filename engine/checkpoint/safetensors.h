#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/file_mapping.h"
#include "checkpoint/safetensors_header.h"
#include "tensor/state_dict.h"

// Files of tensors in the safetensors format, compatible with Python's safetensors.torch.

namespace lectern {

/// Writes the tensors, from any device, one at a time, and replaces the file atomically: after an
/// interruption the old file or the new one is there, complete. Non-contiguous tensors are written in
/// row-major order; tensors that share storage are written separately.
///
/// An Error for system failures, for names that are not UTF-8 or are "__metadata__", and for metadata that is
/// not UTF-8; a TensorError for more than 100 MB of names, shapes and metadata, which no reader takes.
void save_file(const StateDict& tensors, const std::filesystem::path& file,
               const std::map<std::string, std::string>& metadata = {});

/// All tensors of a file, in their own memory on that device. Errors as SafetensorsFile's.
StateDict load_file(const std::filesystem::path& file, Device device = cpu);

/// A file whose tensors are read on request (like Python's safe_open).
class SafetensorsFile {
 public:
  /// An Error naming the file when it cannot be read or is truncated or malformed (safetensors_header.h);
  /// nothing is allocated for its tensors then.
  explicit SafetensorsFile(const std::filesystem::path& file);

  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

  /// A copy on that device. An Error when the name is missing.
  Tensor get_tensor(std::string_view name, Device device = cpu) const;
  /// `entry` is one of entries().
  Tensor get_tensor(const SafetensorsEntry& entry, Device device = cpu) const;

 private:
  std::string name_;
  FileMapping file_;
  SafetensorsHeader header_;
};

}  // namespace lectern
