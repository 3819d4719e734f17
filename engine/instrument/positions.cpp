#include "instrument/positions.h"

#include <algorithm>

#include <fmt/format.h>

#include "trace/tokens.h"

namespace lectern {

Positions::Positions(std::string_view source) : source_(source) {
  starts_.push_back(0);
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\n') starts_.push_back(at + 1);
  }
}

int Positions::line(std::size_t offset) const {
  return static_cast<int>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin());
}

int Positions::column(std::size_t offset) const {
  return static_cast<int>(offset - line_begin(line(offset))) + 1;
}

std::string Positions::placed(std::size_t offset, std::string_view text) const {
  return fmt::format("\n#line {}\n{}{}", line(offset), padding(offset), text);
}

std::string Positions::padding(std::size_t offset) const {
  const std::size_t begin = line_begin(line(offset));
  std::string padding(source_.substr(begin, offset - begin));
  if (begin == 0 && padding.starts_with(byte_order_mark)) padding.erase(0, byte_order_mark.size());
  const auto is_wide = [](char c) { return static_cast<unsigned char>(c) >= 0x80; };
  // Characters of several bytes or columns are repeated in a comment, where its delimiters fit.
  const std::size_t size = padding.size();
  const bool comment = size > 4 && std::ranges::any_of(padding, is_wide) && !is_wide(padding[0]) &&
                       !is_wide(padding[1]) && !is_wide(padding[size - 1]) && !is_wide(padding[size - 2]);
  for (char& c : padding) {
    if (c != '\t' && !(comment && is_wide(c))) c = ' ';
  }
  if (comment) {
    padding.replace(0, 2, "/*");
    padding.replace(size - 2, 2, "*/");
  }
  return padding;
}

}  // namespace lectern
