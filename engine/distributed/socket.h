#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "distributed/store.h"

namespace lectern::distributed {

/// A TCP socket, for the few short messages of a rendezvous.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();

  /// Listens; a TensorError that says why it can't.
  static Socket listening(const std::string& host, int port);
  /// Tries until somebody listens; a TensorError at the deadline.
  static Socket connected(const std::string& host, int port, Clock::time_point deadline);

  int descriptor() const { return descriptor_; }
  Socket accept() const;

  /// A length and so many bytes. False when the other side is gone, or silent for ten seconds.
  bool send(const std::string& text) const;
  std::optional<std::string> receive() const;

 private:
  bool read(char* bytes, std::size_t count) const;
  void limit_waiting() const;

  int descriptor_ = -1;
};

}  // namespace lectern::distributed
