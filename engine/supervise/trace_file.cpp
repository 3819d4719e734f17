#include "supervise/trace_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "record/json_sink.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& what, int error) {
  throw Error(path.string() + ": " + what + ": " + std::generic_category().message(error));
}

std::string text_field(const char* name, const std::string& text) {
  return text.empty() ? "" : std::string(",\"") + name + "\":" + json_text(text);
}

// Relative: a trace holds no absolute path.
std::string end_place(const RunBlock& block) {
  if (block.line == 0) return {};
  const std::string folder = block.folder[0] == '/' ? "" : block.folder;
  return to_string(Place{folder + block.path, block.line, block.column});
}

std::string ended_field(const RunBlock& block, const Ending& ending) {
  if (ending.by == "return") return {};
  std::string json = ",\"ended\":{\"by\":" + json_text(ending.by);
  if (ending.by == "exit") json += ",\"status\":" + std::to_string(ending.status);
  json += text_field("type", ending.type) + text_field("signal", ending.signal);
  return json + text_field("what", ending.what) + text_field("place", end_place(block)) + "}";
}

std::string end_record(const RunBlock& block, const Ending& ending) {
  std::string json = "{\"end\":" + json_text(ending.by);
  json += ending.signal.empty() ? ",\"status\":" + std::to_string(ending.status)
                                : text_field("signal", ending.signal);
  return json + ",\"steps\":" + std::to_string(block.committed.load().steps) + text_field("out", ending.out) +
         text_field("err", ending.err) + (block.exercise != 0 ? ",\"exercise\":true" : "") +
         (ending.failed_rank ? ",\"failed_rank\":" + std::to_string(*ending.failed_rank) : "") + "}\n]}\n";
}

/// On failure returns false with errno set.
bool complete_file(int file, const RunBlock& block, const Ending& ending) {
  const auto size = static_cast<off_t>(block.committed.load().bytes);
  if (file < 0 || ftruncate(file, size) != 0 || lseek(file, 0, SEEK_END) != size) return false;
  char last = '\n';
  if (size > 0 && pread(file, &last, 1, size - 1) != 1) return false;
  // A step's line is open unless none was begun.
  const std::string tail =
      (last == '\n' ? "" : ended_field(block, ending) + "},\n") + end_record(block, ending);
  for (std::string_view rest = tail; !rest.empty();) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

TraceFiles TraceFiles::beside(const fs::path& output) {
  const fs::path trace = fs::absolute(output);
  const fs::path assets = fs::path(trace).replace_extension(".assets");
  return {.trace = trace,
          .partial = trace.string() + ".partial",
          .assets = assets,
          .partial_assets = assets.string() + ".partial"};
}

void TraceFiles::prepare() const {
  make_folder(trace.parent_path());
  remove_tree(partial_assets);
  const int file = open(partial.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(partial, "cannot be written", errno);
  close(file);
}

void TraceFiles::finish(const RunBlock& block, const Ending& ending) const {
  if (!fs::exists(partial)) {
    throw Error(trace.string() + ": cannot be recorded: the lecture removed " + partial.filename().string() +
                ", in which its trace grew; let it leave that folder alone");
  }
  const int file = open(partial.c_str(), O_RDWR | O_CLOEXEC);
  const bool completed = complete_file(file, block, ending);
  const int error = errno;
  if (file >= 0) close(file);
  if (!completed) fail(partial, "cannot be written", error);
  // At no moment does the trace name a file that is not there: what is new comes first, what is old goes
  // last.
  const std::set<fs::path> shown = files_below(partial_assets);
  move_files(partial_assets, assets);
  if (rename(partial.c_str(), trace.c_str()) != 0) fail(trace, "cannot be put in place", errno);
  keep_files(assets, shown);
}

void TraceFiles::discard() const {
  std::error_code error;
  fs::remove(partial, error);
  fs::remove_all(partial_assets, error);
}

}  // namespace lectern
