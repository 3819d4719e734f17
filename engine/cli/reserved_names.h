#pragma once

#include <string>
#include <string_view>

namespace lectern::cli {

/// `using namespace lectern;` shows a lecture's global functions, variables and classes beside Lectern's
/// names. Functions of equal names are overloads; where one of them is not a function, C++ calls the name
/// ambiguous.
class AmbiguousNames {
 public:
  /// After a line of a compiler's messages that tells that such a name is Lectern's, and which: the remedy,
  /// with file, line and column; empty after any other line.
  std::string remedy(std::string_view line);

 private:
  std::string place_, name_;  ///< of the last error, if a note may tell whose name it is
};

}  // namespace lectern::cli
