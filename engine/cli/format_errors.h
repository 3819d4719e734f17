#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lectern::cli {

/// Recognises in a compiler's messages that it refuses the format of a text (lecture/format_string.h). Given
/// line by line.
class FormatErrors {
 public:
  /// What takes the place of a line that is about such a format: a message once for each, else nothing. None
  /// for other lines.
  std::optional<std::string> take(std::string_view line);

 private:
  std::string problem(std::string_view line) const;

  bool inside_ = false, told_ = false;
  std::string place_;   // "FILE:LINE:COLUMN"
  std::string format_;  // in quotes; empty where the compiler does not name it
};

}  // namespace lectern::cli
