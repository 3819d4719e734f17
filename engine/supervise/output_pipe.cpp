#include "supervise/output_pipe.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "record/utf8_tail.h"

namespace lectern {

void Outlet::write(std::string_view text) {
  if (descriptor_ < 0) return;
  if (mark_.empty()) return write_all(text);
  line_ += text;
  constexpr std::size_t kLongestLine = 64 << 10;
  const std::size_t end = line_.size() > kLongestLine ? line_.size() : line_.rfind('\n') + 1;
  if (end == 0) return;
  std::string marked;
  for (std::string_view rest = std::string_view(line_).substr(0, end); !rest.empty();) {
    const std::size_t next = std::min(rest.find('\n'), rest.size() - 1) + 1;
    marked.append(mark_).append(rest.substr(0, next));
    rest.remove_prefix(next);
  }
  line_.erase(0, end);
  write_all(marked);
}

void Outlet::finish() {
  if (!line_.empty()) write("\n");
}

void Outlet::write_all(std::string_view text) {
  while (!text.empty() && descriptor_ >= 0) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      if (errno == EPIPE) descriptor_ = -1;
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

OutputPipe::OutputPipe(std::size_t most) : most_(most) {
  if (pipe2(ends_, O_CLOEXEC) != 0)
    throw Error(std::string("no pipe for the lecture's output: ") + std::strerror(errno));
  fcntl(ends_[0], F_SETFL, O_NONBLOCK);
}

OutputPipe::~OutputPipe() {
  close_write_end();
  if (ends_[0] >= 0) close(ends_[0]);
}

void OutputPipe::close_write_end() {
  if (ends_[1] >= 0) close(ends_[1]);
  ends_[1] = -1;
}

void OutputPipe::drain(Outlet& outlet) {
  char buffer[16384];
  while (ends_[0] >= 0) {
    const ssize_t size = read(ends_[0], buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;
    if (size == 0) {
      close(ends_[0]);
      ends_[0] = -1;
      return;
    }
    const auto bytes = static_cast<std::size_t>(size);
    outlet.write({buffer, bytes});
    text_.append(buffer, std::min(bytes, most_ - text_.size()));
  }
}

std::string OutputPipe::take() {
  if (text_.size() == most_) text_.resize(text_.size() - unfinished_utf8(text_));
  return std::move(text_);
}

}  // namespace lectern
