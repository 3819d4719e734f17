#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_mapping.h"
#include "data/npy.h"
#include "tensor/tensor.h"

namespace lectern {

/// An array of numbers in a file, as memory: nothing is read until it is looked at, so that the file may be
/// larger than the memory. (NumPy's memmap, and load with a mmap_mode.) Changes stay in this program.
///
/// Which format it is says the content, not the name: a .npy file knows its dtype and shape; in any other
/// file stand the numbers alone, one after the other, and their dtype must be given.
class ArrayFile {
 public:
  /// `dtype` is NumPy's name, "uint16"; not needed for a .npy file, of which it must be the dtype if given.
  /// An Error naming the file when it cannot be read, is cut off, has no dtype, or begins as a zip archive
  /// (.npz).
  explicit ArrayFile(const std::filesystem::path& file, std::string_view dtype = "");

  FileDtype dtype() const { return header_.dtype; }
  const Sizes& sizes() const { return header_.sizes; }
  const std::byte* data() const;
  const std::string& name() const { return name_; }

  /// A view of the mapping, on the CPU, which stays as long as a tensor looks at it. An Error for uint16 and
  /// uint32, which no tensor holds, and for a bool that is neither 0 nor 1.
  Tensor tensor() const;

 private:
  std::string name_;
  std::shared_ptr<const FileMapping> file_;
  NpyHeader header_;
};

/// Writes a tensor as a .npy file, in row-major order; replaces the file as one step. An Error for bfloat16
/// and float8, which NumPy does not have.
void save_npy(const Tensor& tensor, const std::filesystem::path& file);

}  // namespace lectern
