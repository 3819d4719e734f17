#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/positions.h"

namespace lectern {

/// The comment that precedes everything inserted: "/*lectern:LENGTH*/", LENGTH bytes of insertion follow.
inline constexpr std::string_view insertion_marker = "/*lectern:";

/// Texts to insert into a source, in the order in which they were added where they share a place.
class Insertions {
 public:
  Insertions(std::string_view source, const Positions& positions) : source_(source), positions_(positions) {}

  /// On lines of its own, so that what follows keeps its line and column.
  void own_line(std::size_t offset, std::string code) { add(offset, std::move(code), true); }
  /// Among the text: where a directive cannot stand.
  void same_line(std::size_t offset, std::string code) { add(offset, std::move(code), false); }
  void add(std::size_t offset, std::string code, bool own_line);

  /// Code for an insertion of its own line in which `text` stands at the line and column of `offset`.
  std::string placed(std::size_t offset, std::string_view text) const;

  std::string apply() const;

 private:
  struct Insertion {
    std::size_t offset;
    std::string code;
    bool own_line;
  };
  std::string_view source_;
  const Positions& positions_;
  std::vector<Insertion> insertions_;
};

}  // namespace lectern
