#include "supervise/trace_file.h"

#include <cerrno>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "record/json_sink.h"
#include "supervise/partial_lock.h"

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

/// Whether a file still holds what the recorder has committed to it.
bool holds_committed(int file, const RunBlock& block) {
  const auto size = static_cast<off_t>(block.committed.load().bytes);
  struct stat now {};
  char first = '\0', last = '\0';
  return fstat(file, &now) == 0 && now.st_size >= size && pread(file, &first, 1, 0) == 1 && first == '{' &&
         pread(file, &last, 1, size - 1) == 1 && last != '\0';
}

/// On failure returns false with errno set.
bool complete_file(int file, const RunBlock& block, const Ending& ending) {
  const auto size = static_cast<off_t>(block.committed.load().bytes);
  if (ftruncate(file, size) != 0 || lseek(file, 0, SEEK_END) != size) return false;
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

void TraceFiles::prepare() {
  make_folder(trace.parent_path());
  file = lock_partial(partial, trace);
  remove_tree(partial_assets);
  if (ftruncate(file.get(), 0) != 0) fail(partial, "cannot be written", errno);
}

void TraceFiles::finish(const RunBlock& block, const Ending& ending) const {
  const auto refuse = [this](const std::string& why) {
    throw Error(trace.string() + ": cannot be recorded: " + why);
  };
  const std::string name = partial.filename().string() + ", in which its trace grew; ";
  if (!file.is_named(partial)) refuse("the lecture removed " + name + "let it leave that folder alone");
  if (!holds_committed(file.get(), block)) refuse("something changed " + name + "run the lecture again");
  if (!complete_file(file.get(), block, ending)) fail(partial, "cannot be written", errno);
  // At no moment does the trace name a file that is not there: what is new comes first, what is old goes
  // last.
  const std::set<fs::path> shown = files_below(partial_assets);
  move_files(partial_assets, assets);
  if (rename(partial.c_str(), trace.c_str()) != 0) fail(trace, "cannot be put in place", errno);
  keep_files(assets, shown);
}

void TraceFiles::discard() const {
  if (!file.is_named(partial)) return;
  std::error_code error;
  fs::remove_all(partial_assets, error);
  fs::remove(partial, error);  // last: another run may begin then
}

}  // namespace lectern
