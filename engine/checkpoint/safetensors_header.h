#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/sizes.h"

// What stands before the numbers of a safetensors file: the length of a text in 8 bytes, little-endian, and
// the text, a JSON object padded with spaces:
//
//   {"__metadata__": {"format": "pt"},
//    "weight": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}, …}
//
// The offsets count from the end of the text. The tensors lie one after the other without gaps, in row-major
// order. (https://github.com/huggingface/safetensors)

namespace lectern {

struct SafetensorsEntry {
  std::string name;
  Dtype dtype;
  Sizes sizes;
  std::uint64_t begin = 0;  ///< from the end of the header, in bytes
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  ///< in the order of the text
  std::map<std::string, std::string> metadata;
  std::uint64_t length = 0;  ///< of the header with its 8 bytes: where the numbers begin
};

/// Takes the header of a file's bytes apart. An Error naming the file and the tensor when the bytes are not
/// those of a file: one that was cut off, whose tensors overlap or leave gaps, whose sizes are not those of
/// its numbers, of a dtype that does not exist here, with two tensors, two members of one, or two of its
/// metadata of the same name. Keeps no more than the bytes that are there, whatever they say.
SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& file);

/// Gives each entry its place, the widest elements first so that all are aligned, and returns the header's
/// bytes, a multiple of 8.
std::string make_safetensors_header(SafetensorsHeader& header);

}  // namespace lectern
