#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/error.h"

namespace lectern {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::string_view name) {
  std::string path = fs::temp_directory_path() / ("lectern-" + std::string(name) + "-XXXXXX");
  if (mkdtemp(path.data()) == nullptr)
    throw Error(path + ": the folder cannot be made: " + std::generic_category().message(errno));
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code left_behind;
  fs::remove_all(path_, left_behind);
}

}  // namespace lectern
