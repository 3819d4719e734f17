#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model.h"

namespace lectern {

/// Tensors of a trace as plain text.

/// "float32 [2, 3]" or "float32 [batch 2, 3]", and the device unless it is the CPU.
std::string tensor_type(const form::Tensor& tensor);

/// The type, and the elements of a short vector, after a "≈" if they are rounded; for a tensor without
/// dimensions only the element, in full.
std::string tensor_text(const form::Tensor& tensor);

/// "storage A 24 bytes cpu"
std::string storage_text(const form::Storage& storage);

/// "A" … "Z", "AA" …
std::string storage_letter(std::int64_t number);

/// An element in full.
std::string exact_text(const Element& element);

/// With a typographic minus.
std::string with_minus(std::string text);
std::string scientific_text(double value, int decimals = 2);

/// The elements of a tensor in one notation, so that their points align: with as many decimals as all of them
/// need if those are few, else with three significant digits for the largest.
class TensorNotation {
 public:
  explicit TensorNotation(const std::vector<Element>& elements);

  std::string text(const Element& element) const;
  /// The exact element where text() rounds; else empty.
  std::string exact(const Element& element) const;
  /// Whether text() rounds any of them.
  bool rounds(const std::vector<Element>& elements) const;

 private:
  std::string real_text(double value) const;

  int decimals_ = 0;
  bool scientific_ = false;
};

}  // namespace lectern
