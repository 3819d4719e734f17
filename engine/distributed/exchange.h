#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "distributed/group.h"
#include "tensor/tensor.h"

namespace lectern::distributed {

/// The Gloo slot (tag) of a message: a hash of what identifies it on both ranks.
std::uint64_t slot_of(std::initializer_list<std::uint64_t> what);

/// The messages of one collective between a group's ranks.
class Exchange {
 public:
  /// Its messages meet only those of the same `salt`: of ranks that agree.
  Exchange(ProcessGroup& group, std::string operation, std::uint64_t sequence, std::uint64_t salt = 0)
      : group_(group), operation_(std::move(operation)), sequence_(sequence), salt_(salt) {}

  ProcessGroup& group() const { return group_; }
  const std::string& operation() const { return operation_; }

  /// To and from a rank of the group that is not this one; each message has a phase and a part of its own.
  void send(int peer, std::uint64_t phase, std::uint64_t part, const void* bytes, std::size_t count);
  /// Returns a number for wait().
  std::size_t receive(int peer, std::uint64_t phase, std::uint64_t part, void* bytes, std::size_t count);
  void wait(std::size_t received);
  /// For all that was sent or received.
  void wait_for_all();
  /// For what was sent to or received from these ranks.
  void wait_for(const std::function<bool(int peer)>& is_wanted);
  /// Memory of messages, which then outlives them.
  Tensor keep(const Tensor& memory) { return kept_.emplace_back(memory); }

 private:
  std::uint64_t slot(std::uint64_t phase, std::uint64_t part) const;
  void wait(Mesh::Transfer& transfer);

  ProcessGroup& group_;
  std::string operation_;
  std::uint64_t sequence_, salt_;
  std::vector<Tensor> kept_;  ///< outlive the transfers
  std::vector<Mesh::Transfer> sent_, received_;
  std::vector<int> receivers_, senders_;  ///< of these
};

/// Sends each rank its message, all in one phase of the exchange, and receives theirs; the own one is copied.
/// They are there when the exchange has waited.
template <typename Message>
void exchange_messages(Exchange& exchange, std::uint64_t phase, const std::vector<Message>& mine,
                       std::vector<Message>& theirs) {
  theirs = mine;
  const int n = exchange.group().size(), rank = exchange.group().rank();
  for (int peer = 0; peer < n; ++peer) {
    if (peer != rank)
      exchange.receive(peer, phase, 0, &theirs[static_cast<std::size_t>(peer)], sizeof(Message));
  }
  for (int peer = 0; peer < n; ++peer) {
    if (peer != rank) exchange.send(peer, phase, 0, &mine[static_cast<std::size_t>(peer)], sizeof(Message));
  }
}

}  // namespace lectern::distributed
