#pragma once

#include <cstdlib>
#include <string>

#include "temporary_folder.h"

namespace lectern::test {

/// For what runs while there is no program on the PATH.
class NoPrograms {
 public:
  NoPrograms() { setenv("PATH", folder_.path().c_str(), 1); }
  NoPrograms(const NoPrograms&) = delete;
  NoPrograms& operator=(const NoPrograms&) = delete;
  ~NoPrograms() { setenv("PATH", before_.c_str(), 1); }

 private:
  const std::string before_ = std::getenv("PATH");
  const TemporaryFolder folder_;
};

}  // namespace lectern::test
