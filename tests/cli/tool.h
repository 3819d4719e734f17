#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/wait.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace lectern::cli {

struct Said {
  int status;
  std::string out, err;
};

inline std::string quoted(const std::filesystem::path& path) {
  return "'" + path.string() + "'";
}

/// Calls the tool as a shell would, in a folder. `environment` is written before the command: "NAME=VALUE".
inline Said call(const std::string& arguments, const std::filesystem::path& folder,
                 const std::string& environment = "") {
  const test::TemporaryFolder said;
  const std::string command = "cd " + quoted(folder) + " && " + environment + " " + quoted(LECTERN_TOOL) +
                              " " + arguments + " >" + quoted(said.path() / "out") + " 2>" +
                              quoted(said.path() / "err") + " </dev/null";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), read_file(said.path() / "out"), read_file(said.path() / "err")};
}

}  // namespace lectern::cli
