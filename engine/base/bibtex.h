#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// An entry of a BibTeX file: @article{key, title = {…}, …}. Its type and the names of its fields are in
/// small letters.
struct BibEntry {
  struct Field {
    std::string name;
    std::string value;  ///< as LaTeX, without its delimiters; what @string defines is put in
    int line = 0;
  };
  std::string type, key;
  int line = 0;
  std::vector<Field> fields;
  std::string parent;  ///< the key that its crossref names: the fields that it lacked are that entry's

  /// Null when there is none, or only blanks.
  const Field* find(std::string_view name) const;
};

/// The entries of a BibTeX file, in their order. What stands outside of them is comment, and so is a line
/// that begins with %. Throws Error, "FILE:LINE: what is wrong; what to do".
std::vector<BibEntry> parse_bibtex(std::string_view text, const std::string& file);

/// The same of a file; messages call it by its name alone.
std::vector<BibEntry> read_bibtex(const std::string& path);

}  // namespace lectern
