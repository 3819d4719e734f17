#include "cli/run_end.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "base/characters.h"
#include "base/error.h"
#include "cli/workspace.h"
#include "edtrace/load.h"
#include "trace/decode.h"
#include "trace/end_message.h"
#include "trace/ranks.h"

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

/// How one process ended, and the rank that failed before it did.
struct RankEnd {
  RunEnd end = {};
  std::optional<std::size_t> failed_rank = {};
};

RankEnd read_rank_end(const std::filesystem::path& trace) {
  const Json record = closing_record(trace);
  if (record.is_discarded()) return {{.how = "the trace is incomplete", .reason = "the trace is incomplete"}};
  const std::string by = record.value("end", "");
  const int status = record.value("status", 0);
  const bool by_itself = by == "return" || by == "exit";
  const bool exercise = record.value("exercise", false);
  if (by_itself && status == 0) return {{.exercise = exercise}};
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
  if (!record.contains("failed_rank")) return {std::move(end)};
  return {std::move(end), record.value("failed_rank", std::size_t{0})};
}

}  // namespace

RunEnd read_run_end(const std::filesystem::path& trace) {
  std::vector<RankEnd> ranks{read_rank_end(trace)};
  for (const std::filesystem::path& file : rank_files_from(trace, 1)) ranks.push_back(read_rank_end(file));
  for (const RankEnd& rank : ranks) {
    if (rank.failed_rank && *rank.failed_rank < ranks.size()) return ranks[*rank.failed_rank].end;
  }
  const auto failed = std::ranges::find_if(ranks, [](const RankEnd& rank) { return !rank.end.ok(); });
  return failed == ranks.end() ? ranks.front().end : failed->end;
}

std::string with_shown_place(const std::string& message, const std::vector<std::filesystem::path>& folders,
                             const std::filesystem::path& from) {
  const std::size_t colon = message.find(':');
  if (colon == std::string::npos || colon + 1 == message.size() || !is_digit(message[colon + 1]))
    return message;
  for (const std::filesystem::path& folder : folders) {
    std::error_code none;
    const std::filesystem::path file = folder / message.substr(0, colon);
    if (std::filesystem::is_regular_file(file, none)) return shown(file, from) + message.substr(colon);
  }
  return message;
}

}  // namespace lectern::cli
