#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// Lines and columns of a source, both counting from 1, columns in bytes.
class Positions {
 public:
  explicit Positions(std::string_view source);

  int line(std::size_t offset) const;
  int column(std::size_t offset) const;
  std::size_t line_begin(int line) const { return starts_[static_cast<std::size_t>(line) - 1]; }
  int line_count() const { return static_cast<int>(starts_.size()); }

  /// What to write before a text on a line of its own so that it stands where `offset` stands, in the columns
  /// of any compiler: those that count bytes and those that count what is seen.
  std::string padding(std::size_t offset) const;

 private:
  std::string_view source_;
  std::vector<std::size_t> starts_;
};

}  // namespace lectern
