#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/markdown_math.h"

namespace lectern {

/// KaTeX. Its program is loaded with the first formula; each distinct formula is typeset once.
class MathTypesetter {
 public:
  MathTypesetter();
  MathTypesetter(const MathTypesetter&) = delete;
  MathTypesetter& operator=(const MathTypesetter&) = delete;
  ~MathTypesetter();

  /// HTML of the formula. One that KaTeX refuses is shown as its source, with the reason as its title.
  const std::string& typeset(const Formula& formula);

  /// What KaTeX refused since the last call: "$\foo$: reason".
  std::vector<std::string> take_errors();

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
  std::unordered_map<std::string, std::string> typeset_;
  std::vector<std::string> errors_;
};

}  // namespace lectern
