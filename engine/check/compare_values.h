#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/tolerance.h"
#include "trace/model.h"

namespace lectern {

/// Two values of one name are not the same.
struct ValueDifference {
  std::string message;     ///< "5 → 7", "[2].w: 0.5 → 0.7, and 3 more places"
  std::size_t places = 1;  ///< where the values differ: numbers, texts, missing items

  // Of a tensor, when its elements differ:
  std::size_t elements = 0, differing = 0;  ///< of those that both traces hold
  double largest = 0, relative = 0;         ///< |new - old| at the worst place, and by |old|
  std::vector<std::int64_t> worst = {};     ///< its index
};

/// Storages are numbered in the order in which they first appear, so the same one may have another number in
/// another trace: only which tensors share a storage matters.
class StoragePairs {
 public:
  /// Whether the two may be the same storage, given all pairs before.
  bool same(std::int64_t old_number, std::int64_t new_number);

 private:
  std::unordered_map<std::int64_t, std::int64_t> new_numbers_, old_numbers_;
};

struct Comparison {
  Tolerances tolerances = {};
  StoragePairs* storages = nullptr;  ///< null: sharing of memory is not compared
};

/// Compares two values of a trace (traces/README.md, "Values"). Numbers within the tolerance of their type
/// are the same. `name` is what @tol knows it by.
std::optional<ValueDifference> compare_values(const Value& old_value, const Value& new_value,
                                              const std::string& name, const Comparison& comparison);

/// A part of a value or of a rendering in a message: value_text, but of a list of JSON, which has no type,
/// only that there is one.
std::string part_text(const Value& part);

/// A number with all its digits: numbers that differ look different.
std::string exact_text(const Value::Form& number);

}  // namespace lectern
