#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "distributed/store.h"

namespace lectern::distributed {

/// The connections of this process with every other rank, over Gloo: messages of bytes. Sends and receives
/// match by slot and size; both sides of a pair must agree on the size. From several threads.
///
/// When a rank is lost, what waits for it throws a TensorError that names it, and from then on everything
/// does, with the same reason. It is lost when its connection closes, and when it is silent for the time
/// given to a wait; who finds out tells the others, so that they name the same rank.
class Mesh {
 public:
  /// Connects all ranks, which call it at about the same time. A TensorError when that takes longer than
  /// `timeout`.
  Mesh(Store& store, int rank, int size, Milliseconds timeout);
  /// Closes the connections.
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// Tells the others, and waits for them to leave as well, for ten seconds at most (after a loss, not at
  /// all).
  void leave();

  int rank() const;
  int size() const;
  Milliseconds timeout() const;

  /// A message on its way.
  class Transfer {
   public:
    Transfer();
    Transfer(Transfer&& other) noexcept;
    Transfer& operator=(Transfer&& other) noexcept;
    ~Transfer();

   private:
    friend class Mesh;
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  /// The memory must stay until the transfer was waited for. Without bytes nothing happens. Errors name the
  /// operation.
  Transfer send(int peer, std::uint64_t slot, const void* bytes, std::size_t count,
                std::string_view operation);
  Transfer receive(int peer, std::uint64_t slot, void* bytes, std::size_t count, std::string_view operation);
  /// Until the memory may be used again.
  void wait(Transfer& transfer, Clock::time_point deadline, std::string_view operation);
  /// Whether the memory may be used again, or its connection is broken; does not wait.
  bool is_over(Transfer& transfer);

  /// Throws what wait() would when one of these ranks is lost, unless it has just left.
  void check(std::span<const int> peers, std::string_view operation);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lectern::distributed
