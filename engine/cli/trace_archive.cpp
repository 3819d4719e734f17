#include "cli/trace_archive.h"

#include <algorithm>

#include "base/error.h"
#include "cli/process.h"
#include "cli/workspace.h"
#include "edtrace/load.h"
#include "trace/ranks.h"

namespace lectern::cli {
namespace fs = std::filesystem;

TraceArchive::TraceArchive(const fs::path& archive) {
  unpack(archive);
  read(archive);
}

void TraceArchive::unpack(const fs::path& archive) const {
  std::string last_line;
  const int status =
      run_command({.arguments = {"tar", "--extract", "--no-same-owner", "--no-same-permissions",
                                 "--directory", folder_.path(), "--file", fs::absolute(archive)}},
                  [&](std::string_view line) { last_line = line; });
  // A folder without permissions could not be removed either.
  run_command({.arguments = {"chmod", "-R", "u+rwX", folder_.path()}, .errors = false},
              [](std::string_view) {});
  if (status != 0) throw Error(shown(archive) + ": it cannot be unpacked: " + last_line);
}

void TraceArchive::read(const fs::path& archive) {
  const auto refuse = [&](const std::string& why) {
    throw Error(shown(archive) + ": " + why + "; give the traces.tar.gz that a bundle's `run` wrote");
  };
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    const fs::file_type type = entry.symlink_status().type();
    if (type != fs::file_type::regular && type != fs::file_type::directory)
      refuse(entry.path().lexically_relative(folder_.path()).string() + " is neither a file nor a folder");
  }
  if (!fs::is_directory(traces())) refuse("it has no folder `traces`");
  for (const auto& entry : fs::directory_iterator(traces())) {
    if (entry.path().extension() != ".json" || !entry.is_regular_file()) continue;
    if (is_of_higher_rank(entry.path())) continue;  // beside that of rank 0
    const std::string name = entry.path().stem();
    if (!is_lecture_name(name)) refuse("`" + name + "` is not a name for a lecture");
    const Trace trace = load_trace(entry.path());
    const std::string profile = trace.profile ? trace.profile->name : "";
    if (!is_lecture_name(profile)) refuse("the profile of " + name + " has no name that a folder could have");
    if (!profile_.empty() && profile != profile_)
      refuse("it has traces of the profiles " + profile_ + " and " + profile);
    profile_ = profile;
    lectures_.push_back(name);
  }
  if (lectures_.empty()) refuse("it has no trace");
  std::sort(lectures_.begin(), lectures_.end());
}

}  // namespace lectern::cli
