#include "supervise/partial_lock.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/error.h"

namespace lectern {
namespace {

using Time = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPoll = std::chrono::milliseconds(20);

/// " (process 1234)" of the one that took the lock, where the kernel tells it and it is there still.
std::string holder_text(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) return {};
  std::array<char, 64> wanted{};
  std::snprintf(wanted.data(), wanted.size(), "%02x:%02x:%llu", major(status.st_dev), minor(status.st_dev),
                static_cast<unsigned long long>(status.st_ino));
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, strength, access, place;
    pid_t process = 0;
    if (!(words >> number >> kind >> strength >> access >> process >> place)) continue;
    if (kind == "FLOCK" && place == wanted.data() && process > 0 && kill(process, 0) == 0)
      return " (process " + std::to_string(process) + ")";
  }
  return {};
}

}  // namespace

Descriptor lock_partial(const std::filesystem::path& partial, const std::filesystem::path& trace) {
  const Time::time_point deadline = Time::now() + kPatience;
  for (;;) {
    Descriptor file(open(partial.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    const bool locked = file.get() >= 0 && flock(file.get(), LOCK_EX | LOCK_NB) == 0;
    if (locked && file.is_named(partial)) return file;
    if (locked) continue;  // its run has put it in place meanwhile
    if (file.get() < 0 || errno != EWOULDBLOCK)
      throw Error(partial.string() + ": cannot be written: " + std::generic_category().message(errno));
    if (Time::now() >= deadline) {
      throw Error(trace.string() + ": another run records into it; wait for it or end it" +
                  holder_text(file.get()));
    }
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace lectern
