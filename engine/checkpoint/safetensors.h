#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/file_mapping.h"
#include "checkpoint/safetensors_header.h"
#include "tensor/state_dict.h"

// Files of tensors in the safetensors format, which Python's safetensors.torch reads and writes, too.

namespace lectern {

/// Writes the tensors, from whichever device, one at a time, and replaces the file as one step: whatever
/// interrupts it, the old file or the new one is there, whole. What is not contiguous is written in row-major
/// order; tensors that share memory are written once each.
///
/// An Error when the system refuses, for names that are not UTF-8 or are "__metadata__", and for metadata
/// that is not UTF-8.
void save_file(const StateDict& tensors, const std::filesystem::path& file,
               const std::map<std::string, std::string>& metadata = {});

/// All tensors of a file, in memory of their own on that device. Errors as SafetensorsFile's.
StateDict load_file(const std::filesystem::path& file, Device device = cpu);

/// A file of which only the tensors are read that are asked for (as Python's safe_open).
class SafetensorsFile {
 public:
  /// An Error naming the file when it cannot be read or is no whole, well-formed file of the format
  /// (safetensors_header.h); nothing was allocated for its tensors then.
  explicit SafetensorsFile(const std::filesystem::path& file);

  const std::vector<SafetensorsEntry>& entries() const { return header_.entries; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

  /// A copy on that device. An Error when there is none of that name.
  Tensor get_tensor(std::string_view name, Device device = cpu) const;
  /// `entry` is one of entries().
  Tensor get_tensor(const SafetensorsEntry& entry, Device device = cpu) const;

 private:
  std::string name_;
  FileMapping file_;
  SafetensorsHeader header_;
};

}  // namespace lectern
