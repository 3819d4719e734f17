#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/decode.h"

namespace lectern {

/// A tensor of a trace (traces/README.md, "Tensors"), looked through: whatever the file says, what is here
/// fits together.
struct TensorValue {
  using Integers = std::vector<std::int64_t>;

  std::string dtype, device;
  Integers shape;
  Integers strides;  ///< as many as the shape has; none negative
  std::int64_t offset = 0;
  std::uint64_t storage = 0;  ///< its number; 0 when unknown
  std::uint64_t storage_bytes = 0;
  bool requires_grad = false;
  std::vector<Integers> positions;   ///< for each dimension those of which the numbers are there, ascending
  std::vector<const Json*> numbers;  ///< row by row; of `positions`
  const Json* stats = nullptr;
  bool has_numbers = false;

  /// Whether it has no elements.
  bool empty() const;
  /// Whether all its numbers are there.
  bool whole() const;
  bool contiguous() const;
  /// 0 for an unknown dtype.
  std::uint64_t element_size() const;
};

/// What does not make sense is refused: nothing, then.
std::optional<TensorValue> read_tensor(const Json& value);

/// "A" … "Z", "AA" …
std::string storage_letter(std::uint64_t number);

/// Which element of the storage belongs to which index, drawn where the storage is small. HTML.
std::string layout_html(const TensorValue& tensor);

}  // namespace lectern
