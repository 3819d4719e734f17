#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include <sys/wait.h>

#include "base/utf8.h"
#include "lecture/hooks.h"
#include "lecture/rendering.h"

namespace lectern {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;

struct Output {
  std::string text;
  int status;
};

/// What the command prints on both streams, in order; of more than 64 KB the beginning.
Output run(const std::string& command) {
  std::fflush(nullptr);
  FILE* pipe = ::popen(("exec 2>&1\n" + command).c_str(), "re");
  if (pipe == nullptr) refuse("system_text: the command cannot be run: " + std::string(std::strerror(errno)));
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    if (text.size() <= kMostBytes) text.append(buffer.data(), count);
  }
  const int ended = ::pclose(pipe);
  if (text.size() > kMostBytes) text = std::string(utf8_prefix(text, kMostBytes)) + "\n…";
  return {std::move(text), WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended)};
}

}  // namespace

void system_text(std::string_view script) {
  const std::string command = dedented(script);
  if (command.empty()) refuse("system_text: the command is empty; name one");
  const Output output = run(command);
  if (!record::recording()) return print_plain("$ " + command + "\n" + output.text);
  add_rendering(rendering::System{command, output.text, output.status});
}

}  // namespace lectern
