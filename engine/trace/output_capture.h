#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lectern {

/// What the program prints through std::cout, std::cerr, std::clog, stdout and stderr: passed on to the
/// terminal at once and kept for the step that is open. Any thread may print. Inactive, the streams write to
/// descriptors 1 and 2.
namespace capture {

constexpr std::size_t kLimit = 64 * 1024;

enum Stream { out, err };

struct Text {
  std::string bytes;
  std::uint64_t cut = 0;  ///< bytes left out beyond kLimit
};

/// Takes over the streams. `terminal` are the descriptors to pass on to; `pending` is set when something was
/// printed.
void start(const int (&terminal)[2], std::atomic<bool>& pending);

/// From here on the streams are as if nobody listened.
void stop();

/// Tells the author something that is not the program's output.
void tell(std::string_view text);

/// While set, what the main thread prints is passed on only.
void suspend(bool suspended);

/// Moves out what came since the last call. A character whose last bytes are still to come stays back unless
/// `all`.
Text take(Stream stream, bool all);

/// Puts back what was taken, before what came since.
void put_back(Stream stream, Text text);

/// For a signal handler: the texts as they stand, or null while some thread is changing them.
const Text* peek(Stream stream);

/// For fork: the lock is held across it.
void before_fork();
void after_fork();

}  // namespace capture
}  // namespace lectern
