#pragma once

#include <filesystem>
#include <string>

#include "base/files.h"

namespace lectern::test {

inline const std::filesystem::path kTests = std::filesystem::path(LECTERN_SOURCE_DIR) / "tests";

/// The text of one of traces/, as edtrace wrote it.
inline std::string fixture(const std::string& name) {
  return read_file(kTests / "edtrace/traces" / name);
}

}  // namespace lectern::test
