#include "cli/output.h"

#include <system_error>

#include "base/error.h"

namespace lectern::cli {
namespace fs = std::filesystem;

fs::path output_file(const fs::path& named) {
  return named == "-" ? "/dev/stdout" : named;
}

bool is_stream(const fs::path& output) {
  std::error_code none;
  return output == "/dev/stdout" ||
         (fs::exists(output, none) && !fs::is_regular_file(output, none) && !fs::is_directory(output, none));
}

fs::path assets_beside(const fs::path& output) {
  if (is_stream(output)) {
    throw Error(output.string() +
                ": the images and videos that are shown cannot lie beside it; name a file with -o");
  }
  return fs::path(output).replace_extension(".assets");
}

}  // namespace lectern::cli
