#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"
#include "tensor/sizes.h"

// NumPy's format of an array in a file
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// "\x93NUMPY", two bytes of version, the length of a text in 2 bytes (4 from version 2 on), and the text, a
// Python dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), } padded with spaces. The
// numbers follow.

namespace lectern {

/// The types of numbers in a file: ours, and two of NumPy's that only token files have.
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
/// An Error that lists the names, for another one.
FileDtype file_dtype(std::string_view name);
std::int64_t element_size(FileDtype dtype);
/// Empty for uint16 and uint32.
std::optional<Dtype> tensor_dtype(FileDtype dtype);

struct NpyHeader {
  FileDtype dtype = FileDtype::float32;
  Sizes sizes;
  bool fortran_order = false;  ///< the first dimension runs fastest
  std::size_t length = 0;      ///< where the numbers begin
};

bool is_npy(std::string_view bytes);

/// An Error naming the file when the bytes are not those of a whole .npy file, or of an array that has no
/// FileDtype: big-endian numbers, complex ones, strings, objects.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& file);

/// The header's bytes, a multiple of 64.
std::string make_npy_header(FileDtype dtype, const Sizes& sizes);

}  // namespace lectern
