#include "record/output_capture.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <utility>

#include <dlfcn.h>
#include <ext/stdio_sync_filebuf.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/high_descriptor.h"
#include "record/main_thread.h"
#include "record/stream_buffer.h"
#include "record/utf8_tail.h"

namespace lectern::capture {
namespace {

// Constant-initialised and never destroyed: printing before main and after it works too.
struct State {
  std::mutex mutex;
  std::atomic<bool> active{false};
  std::atomic<bool> suspended{false};
  std::atomic<bool>* pending = nullptr;
  int terminal[2] = {STDOUT_FILENO, STDERR_FILENO};
  int diagnostics = STDERR_FILENO;
  Text* texts = nullptr;  // two
  std::size_t left = kRunLimit;
  bool full[2] = {false, false};
  Listeners listeners = {};
};
constinit State state;

void write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
}

/// Keeps at most `most` bytes within the step's limit, and counts the rest. Returns how many it kept.
std::size_t keep(Text& text, const char* data, std::size_t size, std::size_t most) {
  const std::size_t room = text.cut > 0 || text.bytes.size() >= kLimit ? 0 : kLimit - text.bytes.size();
  const std::size_t kept = std::min({size, room, most});
  text.bytes.append(data, kept);
  if (size == kept) return kept;
  const std::size_t torn = text.cut > 0 ? 0 : unfinished_utf8(text.bytes);
  text.bytes.resize(text.bytes.size() - torn);
  text.cut += size - kept + torn;
  return kept;
}

/// The same within the budget of the run.
void keep_within_budget(Stream stream, const char* data, std::size_t size) {
  Text& text = state.texts[stream];
  if (state.left > 0) {
    state.left -= keep(text, data, size, state.left);
    if (state.left > 0) return;
    state.full[stream] = text.cut > 0;
    if (state.listeners.on_full != nullptr) state.listeners.on_full();
  } else if (!std::exchange(state.full[stream], true) || text.cut > 0) {
    keep(text, data, size, 0);
  }
}

void set_buffers(Stream stream, std::streambuf* buffer, std::wstreambuf* wide) {
  if (stream == out) {
    std::cout.rdbuf(buffer);
    std::wcout.rdbuf(wide);
  } else {
    for (std::ostream* narrow_stream : {&std::cerr, &std::clog}) narrow_stream->rdbuf(buffer);
    for (std::wostream* wide_stream : {&std::wcerr, &std::wclog}) wide_stream->rdbuf(wide);
  }
}

/// A stream of C while it is captured, and the one in whose place it stands.
struct Captured {
  FILE* stream = nullptr;
  FILE* original = nullptr;
};
constinit Captured captured_streams[2];

ssize_t write_cookie(void* cookie, const char* data, std::size_t size) {
  print(cookie == nullptr ? out : err, {data, size});
  return static_cast<ssize_t>(size);
}

void take_over(FILE*& file, Stream stream) {
  static char is_err;
  cookie_io_functions_t functions{};
  functions.write = write_cookie;
  FILE* captured = fopencookie(stream == out ? nullptr : &is_err, "w", functions);
  if (captured == nullptr) return;
  std::fflush(file);
  std::setvbuf(captured, nullptr, _IONBF, 0);
  captured_streams[stream] = {captured, std::exchange(file, captured)};
}

/// glibc cannot reopen a stream with functions of its own, so the original takes its place again. The C++
/// streams follow it, as they do while the two are synchronised.
FILE* give_back(FILE* file) {
  const std::optional<Stream> stream = captured(file);
  if (!stream) return file;
  file = std::exchange(captured_streams[*stream], {}).original;
  (*stream == out ? stdout : stderr) = file;
  set_buffers(*stream, new __gnu_cxx::stdio_sync_filebuf<char>(file),
              new __gnu_cxx::stdio_sync_filebuf<wchar_t>(file));
  return file;
}

}  // namespace

void start(const int (&terminal)[2], int diagnostics, std::atomic<bool>& pending, Listeners listeners) {
  for (const Stream stream : {out, err}) state.terminal[stream] = move_descriptor_up(terminal[stream]);
  state.diagnostics = move_descriptor_up(diagnostics);
  state.pending = &pending;
  state.listeners = listeners;
  state.texts = new Text[2];
  static std::ios_base::Init streams_exist;
  // Once unsynchronised, a later call in the lecture cannot put other buffers in place of ours.
  std::ios_base::sync_with_stdio(false);
  for (const Stream stream : {out, err}) {
    set_buffers(stream, new StreamBuffer<char>(stream), new StreamBuffer<wchar_t>(stream));
    take_over(stream == out ? stdout : stderr, stream);
  }
  state.active.store(true, std::memory_order_release);
}

void stop() {
  state.active.store(false, std::memory_order_release);
}

void print_diagnostic(std::string_view text) {
  const bool active = state.active.load(std::memory_order_acquire);
  const std::string line = "lectern: " + std::string(text) + "\n";
  write_all(active ? state.diagnostics : STDERR_FILENO, line.data(), line.size());
}

void print(Stream stream, std::string_view text) {
  if (text.empty()) return;
  if (!state.active.load(std::memory_order_acquire))
    return write_all(stream + STDOUT_FILENO, text.data(), text.size());
  const bool suspended = on_main_thread && state.suspended.load(std::memory_order_relaxed);
  if (on_main_thread && !suspended && state.listeners.on_print != nullptr) state.listeners.on_print();
  const std::lock_guard lock(state.mutex);
  write_all(state.terminal[stream], text.data(), text.size());
  if (suspended) return;
  keep_within_budget(stream, text.data(), text.size());
  state.pending->store(true, std::memory_order_release);
}

std::optional<Stream> captured(const FILE* file) {
  for (const Stream stream : {out, err}) {
    if (file != nullptr && file == captured_streams[stream].stream) return stream;
  }
  return std::nullopt;
}

void suspend(bool suspended) {
  state.suspended.store(suspended, std::memory_order_relaxed);
}

Text take(Stream stream, bool all) {
  const std::lock_guard lock(state.mutex);
  Text& text = state.texts[stream];
  Text taken = std::exchange(text, {});
  if (all || taken.cut > 0) return taken;
  const std::size_t torn = unfinished_utf8(taken.bytes);
  text.bytes.assign(taken.bytes, taken.bytes.size() - torn);
  taken.bytes.resize(taken.bytes.size() - torn);
  return taken;
}

void put_back(Stream stream, Text text) {
  const std::lock_guard lock(state.mutex);
  const Text later = std::exchange(state.texts[stream], std::move(text));
  keep(state.texts[stream], later.bytes.data(), later.bytes.size(), kLimit);
  state.texts[stream].cut += later.cut;
}

const Text* peek(Stream stream) {
  if (state.texts == nullptr || !state.mutex.try_lock()) return nullptr;
  state.mutex.unlock();
  return &state.texts[stream];
}

void before_fork() {
  state.mutex.lock();
}
void after_fork() {
  state.mutex.unlock();
}

}  // namespace lectern::capture

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library's names are reserved
extern "C" FILE* freopen(const char* path, const char* mode, FILE* stream) {
  using Reopen = FILE* (*)(const char*, const char*, FILE*);
  static const auto reopen = reinterpret_cast<Reopen>(dlsym(RTLD_NEXT, "freopen"));
  return reopen(path, mode, lectern::capture::give_back(stream));
}
