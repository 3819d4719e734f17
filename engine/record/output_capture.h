#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace lectern {

/// Captures what the program prints through std::cout, std::cerr, std::clog, their wide counterparts, stdout
/// and stderr: it is passed on to the terminal at once and kept for the open step. Any thread may print. When
/// capture is not active, the streams write to descriptors 1 and 2.
namespace capture {

constexpr std::size_t kLimit = 64 * 1024;            ///< bytes kept of what one step prints, for each stream
constexpr std::size_t kRunLimit = 16 * 1024 * 1024;  ///< bytes kept of what a whole run prints

enum Stream { out, err };

struct Text {
  std::string bytes;
  std::uint64_t cut = 0;  ///< bytes left out beyond the limits; beyond kRunLimit, counted in its first step

  bool empty() const { return bytes.empty() && cut == 0; }
};

/// Takes over the streams. `terminal` are the descriptors to pass on to, `diagnostics` the one for
/// print_diagnostic(); `pending` is set when something was printed. `on_print` is called on the main thread
/// before what it prints is kept, `on_full` when kRunLimit is reached, once, on the thread that prints.
struct Listeners {
  void (*on_print)();
  void (*on_full)();
};
void start(const int (&terminal)[2], int diagnostics, std::atomic<bool>& pending, Listeners listeners);

/// Ends the capture; the streams write to descriptors 1 and 2.
void stop();

/// Prints "lectern: TEXT" on standard error. It is not part of the program's output, and never suppressed.
void print_diagnostic(std::string_view text);

/// Prints as the streams do.
void print(Stream stream, std::string_view text);

/// The stream that a FILE is while captured.
std::optional<Stream> captured(const FILE* file);

/// While set, what the main thread prints is passed on only.
void suspend(bool suspended);

/// Moves out what was printed since the last call. An incomplete character at the end stays, unless `all`.
Text take(Stream stream, bool all);

/// Puts back what was taken, before what was printed since.
void put_back(Stream stream, Text text);

/// For a signal handler: the text so far, or null while some thread is changing it.
const Text* peek(Stream stream);

/// The lock is held across a fork.
void before_fork();
void after_fork();

}  // namespace capture
}  // namespace lectern
