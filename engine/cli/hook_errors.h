#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lectern::cli {

/// Recognises in a compiler's messages that it refuses the arguments of a hook, and says which it takes in
/// place of the functions that the compiler lists. Given line by line.
class HookErrors {
 public:
  /// What takes the place of a line that is about such a call; nothing for those that list Lectern's
  /// functions. None for other lines.
  std::optional<std::string> take(std::string_view line);

 private:
  bool inside_ = false;
  bool listing_ = false;  // the call itself was shown
  bool foreign_ = false;  // the function being listed is none of Lectern's
};

}  // namespace lectern::cli
