#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// Bytes [begin, end) of a source.
struct ByteSpan {
  std::size_t begin, end;

  bool empty() const { return begin == end; }
  bool contains(const ByteSpan& other) const { return begin <= other.begin && other.end <= end; }
};

/// Lines and columns of a source, both counting from 1, columns in bytes.
class Positions {
 public:
  explicit Positions(std::string_view source);

  int line(std::size_t offset) const;
  int column(std::size_t offset) const;
  std::size_t line_begin(int line) const { return starts_[static_cast<std::size_t>(line) - 1]; }

  /// Lines that place `text` at the line and column of `offset`, for compilers that count columns in bytes
  /// and for those that count characters.
  std::string placed(std::size_t offset, std::string_view text) const;

 private:
  std::string padding(std::size_t offset) const;

  std::string_view source_;
  std::vector<std::size_t> starts_;
};

}  // namespace lectern
