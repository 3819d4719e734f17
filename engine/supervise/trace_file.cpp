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

class File {
 public:
  explicit File(const fs::path& path, int flags)
      : path_(path), descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail(path_, "cannot be written", errno);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(descriptor_); }

  void truncate(std::uint64_t size) {
    if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail(path_, "cannot be written", errno);
    lseek(descriptor_, 0, SEEK_END);
  }
  char byte_at(std::uint64_t offset) const {
    char byte = '\0';
    if (pread(descriptor_, &byte, 1, static_cast<off_t>(offset)) != 1) fail(path_, "cannot be read", errno);
    return byte;
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(descriptor_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail(path_, "cannot be written", errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  fs::path path_;
  int descriptor_;
};

std::string text_field(const char* name, const std::string& text) {
  return text.empty() ? "" : std::string(",\"") + name + "\":" + json_text(text);
}

std::string ended_field(const Ending& ending) {
  if (ending.by == "return") return {};
  std::string json = ",\"ended\":{\"by\":" + json_text(ending.by);
  if (ending.by == "exit") json += ",\"status\":" + std::to_string(ending.status);
  json += text_field("type", ending.type) + text_field("signal", ending.signal);
  // A failed claim is in its step already; the message for the terminal names files of this machine.
  if (ending.by != "claim") json += text_field("what", ending.what);
  return json + "}";
}

std::string end_record(const RunBlock& block, const Ending& ending) {
  std::string json = "{\"end\":" + json_text(ending.by);
  json += ending.signal.empty() ? ",\"status\":" + std::to_string(ending.status)
                                : text_field("signal", ending.signal);
  return json + ",\"steps\":" + std::to_string(block.committed.load().steps) + text_field("out", ending.out) +
         text_field("err", ending.err) + "}\n]}\n";
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
  File(partial, O_RDWR | O_CREAT | O_TRUNC);
}

void TraceFiles::finish(const RunBlock& block, const Ending& ending) const try {
  if (!fs::exists(partial)) {
    throw Error(trace.string() + ": cannot be recorded: the lecture removed " + partial.filename().string() +
                ", in which its trace grew; let it leave that folder alone");
  }
  {
    File file(partial, O_RDWR);
    const std::uint64_t size = block.committed.load().bytes;
    file.truncate(size);
    // A step's line is open unless none was begun.
    const bool open = size > 0 && file.byte_at(size - 1) != '\n';
    file.write((open ? ended_field(ending) + "},\n" : "") + end_record(block, ending));
  }
  // At no moment does the trace name a file that is not there: what is new comes first, what is old goes
  // last.
  const std::set<fs::path> shown = files_below(partial_assets);
  move_files(partial_assets, assets);
  if (rename(partial.c_str(), trace.c_str()) != 0) fail(trace, "cannot be put in place", errno);
  keep_files(assets, shown);
} catch (...) {
  discard();
  throw;
}

void TraceFiles::discard() const {
  std::error_code error;
  fs::remove(partial, error);
  fs::remove_all(partial_assets, error);
}

}  // namespace lectern
