#include "cli/run_end.h"

#include <algorithm>
#include <fstream>

#include <fmt/core.h>

#include "base/error.h"
#include "edtrace/load.h"
#include "trace/decode.h"
#include "trace/end_message.h"

namespace lectern::cli {
namespace {

/// The closing record of a trace; discarded when there is none.
Json closing_record(const std::filesystem::path& trace) {
  const Json none = Json(Json::value_t::discarded);
  std::ifstream in(trace, std::ios::binary | std::ios::ate);
  if (!in) return none;
  const std::streamoff size = in.tellg();
  const std::streamoff wanted = std::min<std::streamoff>(size, 256 * 1024);
  std::string tail(static_cast<std::size_t>(wanted), '\0');
  in.seekg(size - wanted);
  in.read(tail.data(), wanted);
  const auto begin = tail.rfind("\n{\"end\":");
  const auto end = tail.rfind("\n]}");
  if (begin == std::string::npos || end == std::string::npos || end <= begin) return none;
  return Json::parse(tail.substr(begin, end - begin), nullptr, false);
}

}  // namespace

RunEnd read_run_end(const std::filesystem::path& trace) {
  const Json record = closing_record(trace);
  if (record.is_discarded()) return {.how = "the trace is incomplete", .reason = "the trace is incomplete"};
  const std::string by = record.value("end", "");
  const int status = record.value("status", 0);
  const bool by_itself = by == "return" || by == "exit";
  const bool exercise = record.value("exercise", false);
  if (by_itself && status == 0) return {.exercise = exercise};
  RunEnd end{.how = by_itself        ? fmt::format("exit status {}", status)
                    : by == "signal" ? record.value("signal", "a signal")
                                     : by,
             .killed = by == "killed" || by == "orphaned" || by == "interrupted",
             .exercise = exercise};
  try {
    end.reason = end_reason(load_trace(trace));
  } catch (const Error& error) {
    end.reason = error.what();
  }
  return end;
}

}  // namespace lectern::cli
