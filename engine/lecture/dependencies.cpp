#include "lecture/dependencies.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

#include "base/depfile.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

const fs::file_time_type started = fs::file_time_type::clock::now();

}  // namespace

void add_dependency(const fs::path& file, std::string_view further) {
  const char* const depfile = std::getenv(kDepfileVariable);
  if (depfile == nullptr || *depfile == '\0') return;
  // At once: of a lecture that crashes, too. Ranks of a run append to one file.
  std::ofstream(depfile, std::ios::app) << prerequisite_for_make(file).append(further) << std::flush;
}

void add_shown_file(const fs::path& file) {
  std::error_code unknown;
  const fs::file_time_type written = fs::last_write_time(file, unknown);
  if (unknown || written < started) add_dependency(file);
}

}  // namespace lectern
