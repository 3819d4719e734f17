#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lectern {

/// The works that a page refers to, each once, numbered from 1 in the order of their first mention.
class Bibliography {
 public:
  int number(const rendering::Link& work);

  /// A section of the page; empty when nothing was referred to.
  std::string html() const;

 private:
  std::map<std::string, int> numbers_;
  std::vector<rendering::Link> works_;
};

}  // namespace lectern
