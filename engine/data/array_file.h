#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_mapping.h"
#include "data/npy.h"
#include "tensor/tensor.h"

namespace lectern {

/// A memory-mapped array file: nothing is read until it is accessed, so that the file may be larger than
/// memory. (NumPy's memmap, and load with a mmap_mode.) Changes stay private to this program.
///
/// The format is determined by content, not by name: a .npy file knows its dtype and shape; any other file is
/// raw data, and its dtype must be given.
class ArrayFile {
 public:
  /// `dtype` is NumPy's name, "uint16"; optional for a .npy file, whose dtype it must match. An Error naming
  /// the file when it cannot be read, is truncated, lacks a dtype, or begins as a zip archive (.npz).
  explicit ArrayFile(const std::filesystem::path& file, std::string_view dtype = "");

  FileDtype dtype() const { return header_.dtype; }
  const Sizes& sizes() const { return header_.sizes; }
  const std::byte* data() const;
  const std::string& name() const { return name_; }

  /// A view of the mapping, on the CPU; the mapping lives as long as its tensors. An Error for uint16 and
  /// uint32, which no tensor supports, and for a bool that is neither 0 nor 1.
  Tensor tensor() const;

 private:
  std::string name_;
  std::shared_ptr<const FileMapping> file_;
  NpyHeader header_;
};

/// Writes a tensor as a .npy file, in row-major order; replaces the file atomically. An Error for bfloat16
/// and float8, which NumPy does not have.
void save_npy(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace lectern
