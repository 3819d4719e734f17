#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "tensor/sizes.h"

// The header of a safetensors file, before the data: an 8-byte little-endian length and a JSON object of that
// length, padded with spaces:
//
//   {"__metadata__": {"format": "pt"},
//    "weight": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}, …}
//
// Offsets count from the end of the header. The tensors follow each other without gaps, in row-major order.
// (https://github.com/huggingface/safetensors)

namespace lectern {

struct SafetensorsEntry {
  std::string name;
  Dtype dtype;
  Sizes sizes;
  std::uint64_t begin = 0;  ///< from the end of the header, in bytes
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in the header's order
  std::map<std::string, std::string> metadata;
  std::uint64_t length = 0;  ///< of the header with its 8 bytes: where the data begins
};

/// Parses a file's header. An Error naming the file and the tensor when the bytes are malformed: truncated,
/// tensors that overlap or leave gaps, sizes that do not match the data, an unsupported dtype, or duplicate
/// tensors, members or metadata keys. Its memory is bounded by the bytes that are there, whatever they claim.
SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& file);

/// Assigns each entry its offset, the widest elements first so that all are aligned, and returns the header's
/// bytes, a multiple of 8. A TensorError when they are more than a reader takes, 100 MB.
std::string make_safetensors_header(SafetensorsHeader& header);

}  // namespace lectern
