#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"
#include "tensor/sizes.h"

// NumPy's array file format (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// "\x93NUMPY", a two-byte version, a header length in 2 bytes (4 from version 2 on), and the header, a Python
// dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } padded with spaces. The data
// follows.

namespace lectern {

/// Element types in a file: ours, and two of NumPy's that only token files have.
enum class FileDtype : std::uint8_t {
  float64,
  float32,
  float16,
  int64,
  int32,
  int16,
  int8,
  uint8,
  bool_,
  uint16,
  uint32
};

/// NumPy's name, "float32".
std::string_view name(FileDtype dtype);
/// An Error that lists the valid names, for any other.
FileDtype file_dtype(std::string_view name);
std::int64_t element_size(FileDtype dtype);
/// Empty for uint16 and uint32.
std::optional<Dtype> tensor_dtype(FileDtype dtype);

struct NpyHeader {
  FileDtype dtype = FileDtype::float32;
  Sizes sizes;
  bool fortran_order = false;  ///< the first dimension varies fastest
  std::size_t length = 0;      ///< where the data begins
};

bool is_npy(std::string_view bytes);

/// An Error naming the file when the bytes are not a complete .npy file, or its dtype is not a FileDtype:
/// big-endian, complex, strings, objects.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& file);

/// The header's bytes, a multiple of 64.
std::string make_npy_header(FileDtype dtype, const Sizes& sizes);

}  // namespace lectern
