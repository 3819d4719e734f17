#include "distributed/socket.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/tensor_error.h"

namespace lectern::distributed {
namespace {

constexpr std::chrono::seconds kPatience(10);

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found))
    throw TensorError("init_process_group", "can't find the host " + host + ": " + gai_strerror(error));
  return {found, &freeaddrinfo};
}

Socket opened(const addrinfo& address) {
  return Socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
}

std::string place(const std::string& host, int port) {
  return host + ":" + std::to_string(port);
}

/// Calls again what a signal has interrupted, as the system does not where there is a time limit; for twice
/// the limit at most.
template <typename Call>
ssize_t uninterrupted(const Call& call) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (true) {
    const ssize_t count = call();
    if (count >= 0 || errno != EINTR || Clock::now() >= deadline) return count;
  }
}

}  // namespace

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket Socket::listening(const std::string& host, int port) {
  const Addresses address = addresses_of(host, port);
  Socket socket = opened(*address);
  const int yes = 1;
  ::setsockopt(socket.descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.descriptor_, address->ai_addr, address->ai_addrlen) == 0 &&
      ::listen(socket.descriptor_, SOMAXCONN) == 0) {
    return socket;
  }
  const int error = errno;
  std::string problem = "rank 0 can't listen at " + place(host, port) + ": " + std::strerror(error);
  if (error == EADDRINUSE)
    problem += "; choose another port, or end the run, or the other rank 0, that has it";
  throw TensorError("init_process_group", problem);
}

Socket Socket::connected(const std::string& host, int port, Clock::time_point deadline) {
  const Addresses addresses = addresses_of(host, port);
  while (true) {
    int error = 0;
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      Socket socket = opened(*address);
      socket.limit_waiting();
      if (::connect(socket.descriptor_, address->ai_addr, address->ai_addrlen) == 0) return socket;
      error = errno;
    }
    if (Clock::now() >= deadline)
      throw TensorError("init_process_group", "nobody answers at " + place(host, port) +
                                                  ", where rank 0 should listen: " + std::strerror(error));
    std::this_thread::sleep_for(Milliseconds(10));
  }
}

Socket Socket::accept() const {
  Socket socket(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
  if (socket.descriptor_ >= 0) socket.limit_waiting();
  return socket;
}

void Socket::limit_waiting() const {
  const timeval limit{.tv_sec = kPatience.count(), .tv_usec = 0};
  ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const int yes = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

bool Socket::send(const std::string& text) const {
  const auto length = static_cast<std::uint32_t>(text.size());
  std::string message(sizeof length, '\0');
  std::memcpy(message.data(), &length, sizeof length);
  message += text;
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t count = uninterrupted(
        [&] { return ::send(descriptor_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL); });
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

bool Socket::read(char* bytes, std::size_t count) const {
  for (std::size_t got = 0; got < count;) {
    const ssize_t part = uninterrupted([&] { return ::recv(descriptor_, bytes + got, count - got, 0); });
    if (part <= 0) return false;
    got += static_cast<std::size_t>(part);
  }
  return true;
}

std::optional<std::string> Socket::receive() const {
  constexpr std::uint32_t kLongest = 1 << 20;  // of what is no rank's message
  std::uint32_t length = 0;
  if (!read(reinterpret_cast<char*>(&length), sizeof length) || length > kLongest) return {};
  std::string text(length, '\0');
  if (!read(text.data(), length)) return {};
  return text;
}

}  // namespace lectern::distributed
