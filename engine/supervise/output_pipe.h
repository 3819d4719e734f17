#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lectern {

/// Where a lecture's output is passed on to: a descriptor, or nowhere if that is negative. With a mark, each
/// line begins with it and is passed on when it is complete.
class Outlet {
 public:
  Outlet(int descriptor, std::string mark) : descriptor_(descriptor), mark_(std::move(mark)) {}

  void write(std::string_view text);
  /// Passes on a line that was not completed.
  void finish();

 private:
  void write_all(std::string_view text);

  int descriptor_;
  std::string mark_, line_;
};

/// What the lecture's process and its children write to a descriptor.
class OutputPipe {
 public:
  /// Keeps the first `most` bytes, for take().
  explicit OutputPipe(std::size_t most);
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  ~OutputPipe();

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write_end();

  /// Keeps what has arrived and passes it on.
  void drain(Outlet& outlet);
  std::string take();

 private:
  std::size_t most_;
  int ends_[2];
  std::string text_;
};

}  // namespace lectern
