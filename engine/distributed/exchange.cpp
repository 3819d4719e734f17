#include "distributed/exchange.h"

#include "base/fnv.h"

namespace lectern::distributed {

std::uint64_t slot_of(std::initializer_list<std::uint64_t> what) {
  constexpr std::uint64_t kOfCollectives = std::uint64_t{1} << 63;
  const auto* const bytes = reinterpret_cast<const char*>(what.begin());
  return fnv1a_64({bytes, what.size() * sizeof(std::uint64_t)}) | kOfCollectives;
}

std::uint64_t Exchange::slot(std::uint64_t phase, std::uint64_t part) const {
  return slot_of({group_.id(), sequence_, salt_, phase, part});
}

void Exchange::send(int peer, std::uint64_t phase, std::uint64_t part, const void* bytes, std::size_t count) {
  receivers_.push_back(peer);
  sent_.push_back(group_.mesh().send(group_.global(peer), slot(phase, part), bytes, count, operation_));
}

std::size_t Exchange::receive(int peer, std::uint64_t phase, std::uint64_t part, void* bytes,
                              std::size_t count) {
  senders_.push_back(peer);
  received_.push_back(
      group_.mesh().receive(group_.global(peer), slot(phase, part), bytes, count, operation_));
  return received_.size() - 1;
}

void Exchange::wait(Mesh::Transfer& transfer) {
  Mesh& mesh = group_.mesh();
  mesh.wait(transfer, Clock::now() + mesh.timeout(), operation_);
}

void Exchange::wait(std::size_t received) {
  wait(received_[received]);
}

void Exchange::wait_for_all() {
  for (Mesh::Transfer& transfer : received_) wait(transfer);
  for (Mesh::Transfer& transfer : sent_) wait(transfer);
}

void Exchange::wait_for(const std::function<bool(int peer)>& is_wanted) {
  for (std::size_t i = 0; i < received_.size(); ++i) {
    if (is_wanted(senders_[i])) wait(received_[i]);
  }
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    if (is_wanted(receivers_[i])) wait(sent_[i]);
  }
}

}  // namespace lectern::distributed
