#pragma once

#include <cstdint>
#include <optional>

namespace lectern {

struct None {};
/// In an index: a new dimension of size 1.
inline constexpr None none{};
/// In an index: all dimensions that the others leave over.
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// start:stop:step of Python. Negative positions count from the end; positions outside are moved to the end.
/// step > 0.
struct Slice {
  constexpr Slice(std::optional<std::int64_t> begin = {}, std::optional<std::int64_t> end = {},
                  std::int64_t by = 1)
      : start(begin), stop(end), step(by) {}

  std::optional<std::int64_t> start;
  std::optional<std::int64_t> stop;
  std::int64_t step;
};

/// One entry of an index: x.index({0, Slice(1, 3), ellipsis, none}).
class Index {
 public:
  enum class Kind : std::uint8_t { integer, slice, new_dimension, rest };

  constexpr Index(int at) : Index(static_cast<std::int64_t>(at)) {}
  constexpr Index(std::int64_t at) : kind_(Kind::integer), at_(at) {}
  constexpr Index(Slice slice) : kind_(Kind::slice), slice_(slice) {}
  constexpr Index(None) : kind_(Kind::new_dimension) {}
  constexpr Index(Ellipsis) : kind_(Kind::rest) {}

  constexpr Kind kind() const { return kind_; }
  constexpr std::int64_t at() const { return at_; }
  constexpr Slice slice() const { return slice_; }

 private:
  Kind kind_;
  std::int64_t at_ = 0;
  Slice slice_;
};

}  // namespace lectern
