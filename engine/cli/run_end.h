#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lectern::cli {

/// How a recorded run ended.
struct RunEnd {
  std::string how = {};  ///< "claim", "SIGSEGV", "exit status 3"; empty if it ended by itself with status 0
  std::string reason = {};  ///< a line for a person (trace/end_message.h)
  bool killed = false;      ///< from outside, or its supervisor was
  bool exercise = false;    ///< claims that failed did not end it
  bool ok() const { return how.empty(); }
};

/// Of several processes, given the trace of rank 0: of the rank that failed first. Reads no more than the
/// traces' closing records when all went well.
RunEnd read_run_end(const std::filesystem::path& trace);

/// A message that begins with a place of a lecture's own, "averages.cpp:3": as it names the file from the
/// current folder, or another. The file is found in the first of these folders that has it.
std::string with_shown_place(const std::string& message, const std::vector<std::filesystem::path>& folders,
                             const std::filesystem::path& from = std::filesystem::current_path());

}  // namespace lectern::cli
