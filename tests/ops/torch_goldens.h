#pragma once

#include <map>
#include <optional>
#include <string>

#include "ops/torch_process.h"

// What PyTorch made of inputs that are the same everywhere, kept in a file for each test: an object with a
// line for each row, and in it for each dtype
//
//   "inputs"     a hash of the inputs' numbers
//   "values"     [dtype, sizes, elements], or null, or in place of the list true: PyTorch refuses
//   "gradients"  likewise, where they are compared
//
// The elements are bytes in base64; of a large tensor each n-th in row-major order, so that there are at most
// kGoldenElements.

namespace lectern::test {

inline constexpr std::int64_t kGoldenElements = 16;

/// Every how-many-th element is kept.
inline std::int64_t golden_step(std::int64_t elements) {
  return (elements + kGoldenElements - 1) / kGoldenElements;
}

class TorchGoldens {
 public:
  /// Of a test SUITE.NAME of the room LECTERN_TEST_ROOM; none so far.
  explicit TorchGoldens(const std::string& test);

  /// Those of the file, if there is one.
  void read();
  /// Nothing where the file has none; an Error when it was made of other inputs.
  std::optional<TorchAnswer> find(const Trial& trial) const;
  void add(const Trial& trial, const TorchAnswer& answer);
  /// How many dtypes of how many rows, all in all.
  std::size_t size() const;
  /// The bytes follow from the goldens alone.
  void write() const;

 private:
  std::string path_;
  std::map<std::string, std::map<std::string, std::string>> lines_;  ///< JSON by title and dtype
};

}  // namespace lectern::test
