#pragma once

#include <cstdint>
#include <memory>
#include <optional>

namespace lectern {

class Tensor;

struct None {};
/// In an index: a new dimension of size 1.
inline constexpr None none{};
/// In an index: all dimensions not covered by the other entries.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// Python's start:stop:step. Negative positions count from the end; positions out of range are clamped. step
/// > 0.
struct Slice {
  constexpr Slice(std::optional<std::int64_t> begin = {}, std::optional<std::int64_t> end = {},
                  std::int64_t by = 1)
      : start(begin), stop(end), step(by) {}

  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step;
};

/// One entry of an index: x.index({0, Slice(1, 3), ellipsis, none, positions}). A tensor holds positions
/// (int64) or is a mask (bool); see ops/index.h.
class Index {
 public:
  enum class Kind : std::uint8_t { integer, slice, new_dimension, rest, tensor };

  Index(int at) : Index(static_cast<std::int64_t>(at)) {}
  Index(std::int64_t at) : kind_(Kind::integer), at_(at) {}
  Index(Slice slice) : kind_(Kind::slice), slice_(slice) {}
  Index(None) : kind_(Kind::new_dimension) {}
  Index(Ellipsis) : kind_(Kind::rest) {}
  Index(const Tensor& tensor);
  Index(bool) = delete;

  Kind kind() const { return kind_; }
  std::int64_t at() const { return at_; }
  Slice slice() const { return slice_; }
  const Tensor& tensor() const { return *tensor_; }

 private:
  Kind kind_;
  std::int64_t at_ = 0;
  Slice slice_;
  std::shared_ptr<const Tensor> tensor_;  ///< Kind::tensor only
};

}  // namespace lectern
