#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// A line of a source as HTML.
struct CodeLine {
  std::string html;     ///< highlighted; what belongs to directives inside <span class="directive">
  std::string code;     ///< plain, blanks in place of comments: byte for byte as long as the line
  bool blank = false;   ///< nothing on it
  bool hidden = false;  ///< nothing but directives: shown in raw view only
};

/// Every line of a file, highlighted, tabs kept.
std::vector<CodeLine> code_lines(const std::vector<std::string>& lines, std::string_view language);

/// A piece of code on its own.
std::string highlighted(std::string_view code, std::string_view language);

}  // namespace lectern
