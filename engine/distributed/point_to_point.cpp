#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/communication.h"
#include "distributed/launch.h"
#include "distributed/observer.h"

namespace lectern::distributed {
namespace {

/// One message, and the cards by which both sides check each other.
struct Message {
  Buffers buffers;
  Card mine = {}, theirs = {};
  Mesh::Transfer card_sent = {}, card_received = {}, data = {};

  void complete(Mesh& mesh, const char* operation, int peer) {
    const auto wait = [&](Mesh::Transfer& transfer) {
      mesh.wait(transfer, Clock::now() + mesh.timeout(), operation);
    };
    wait(card_received);
    wait(card_sent);
    try {
      Card::check(mine, mesh.rank(), theirs, peer);
    } catch (const Disagreement& problem) {
      throw TensorError(operation, problem.what());
    }
    wait(data);
  }
};

Work start_message(const char* operation, const Tensor& tensor, int peer, bool is_send, const Group& of,
                   int tag) {
  constexpr std::uint64_t kMessages = 7;  // apart from a group's collectives
  const Launch launch(operation, {.group = of});
  ProcessGroup& group = launch.group();
  const int other = launch.root(peer);
  if (launch.is(other)) launch.fail("a rank can't send to itself");
  const auto message = std::make_shared<Message>(Message{Buffers(operation)});
  std::byte* const data = is_send ? message->buffers.input(tensor) : message->buffers.output(tensor);
  const std::string what = signature(tensor);
  message->mine = Card("", is_send ? what : "", is_send ? "" : what);
  const int from = is_send ? group.rank() : other, to = is_send ? other : group.rank();
  const std::uint64_t number = group.next_message(from, to, tag);
  const auto slot = [&](std::uint64_t part) {
    return slot_of({kMessages, group.id(), static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to),
                    static_cast<std::uint64_t>(tag), number, part, fnv1a_64(part == 0 ? "" : what)});
  };
  Mesh& mesh = group.mesh();
  message->card_received = mesh.receive(peer, slot(0), &message->theirs, sizeof(Card));
  message->card_sent = mesh.send(peer, slot(0), &message->mine, sizeof(Card));
  const auto bytes = static_cast<std::size_t>(tensor.nbytes());
  message->data = is_send ? mesh.send(peer, slot(1), data, bytes) : mesh.receive(peer, slot(1), data, bytes);
  count_communication(is_send ? tensor.nbytes() : 0, is_send ? 0 : tensor.nbytes());
  tell_observer({operation, group.id(), number, is_send ? tensor.nbytes() : 0, is_send ? 0 : tensor.nbytes(),
                 from, to, tag});
  const auto work = std::make_shared<PendingWork>(
      [message, &mesh, operation, peer] { message->complete(mesh, operation, peer); },
      [message] { message->buffers.finish(); });
  work->is_lazy = true;
  return Work(work);
}

}  // namespace

Work isend(const Tensor& tensor, int dst, const Group& group, int tag) {
  return start_message("send", tensor, dst, true, group, tag);
}

Work irecv(const Tensor& tensor, int src, const Group& group, int tag) {
  return start_message("recv", tensor, src, false, group, tag);
}

void send(const Tensor& tensor, int dst, const Group& group, int tag) {
  isend(tensor, dst, group, tag).wait();
}

void recv(const Tensor& tensor, int src, const Group& group, int tag) {
  irecv(tensor, src, group, tag).wait();
}

}  // namespace lectern::distributed
