#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/communication.h"
#include "distributed/launch.h"
#include "distributed/observer.h"

namespace lectern::distributed {
namespace {

/// Of tensors on the CPU: one message, and the cards by which both sides check each other.
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

/// Who sends to whom, by their ranks in the group.
struct Way {
  int from, to, tag;
  bool is_send;  ///< of this rank
};

void count_message(const Launch& launch, const Tensor& tensor, const Way& way, std::uint64_t number) {
  const std::int64_t sent = way.is_send ? tensor.nbytes() : 0, received = way.is_send ? 0 : tensor.nbytes();
  count_communication(sent, received);
  tell_observer({launch.operation(), launch.group().id(), number, sent, received, way.from, way.to, way.tag});
}

/// Of tensors on GPUs: a collective of two ranks. NCCL knows no tags, so that messages with different ones
/// must be sent and received in the same order.
Work start_on_gpu(const Launch& launch, const Tensor& tensor, const Way& way) {
  std::byte* const data = way.is_send ? launch.buffers().input(tensor) : launch.buffers().output(tensor);
  const std::size_t bytes = static_cast<std::size_t>(tensor.nbytes());
  ProcessGroup& pair = launch.group().direction(way.from, way.to);
  Terms terms{launch.operation(), fmt::format("a message with tag {}", way.tag), {"", ""}, {"", ""}};
  (way.is_send ? terms.sends[1] : terms.expects[0]) = signature(tensor);
  const Work work =
      launch.start_on_gpu(pair, std::move(terms), pair.next_sequence(),
                          [data, bytes, is_send = way.is_send](const nccl::Channel& channel) {
                            return is_send ? channel.send(data, bytes, 1) : channel.receive(data, bytes, 0);
                          });
  count_message(launch, tensor, way, launch.group().next_message(way.from, way.to, way.tag));
  return work;
}

Work start_on_cpu(const Launch& launch, const char* operation, const Tensor& tensor, const Way& way) {
  constexpr std::uint64_t kMessages = 7;  // apart from a group's collectives
  ProcessGroup& group = launch.group();
  const auto [from, to, tag, is_send] = way;
  const int peer = group.global(is_send ? to : from);
  const auto message = std::make_shared<Message>(Message{Buffers(operation)});
  std::byte* const data = is_send ? message->buffers.input(tensor) : message->buffers.output(tensor);
  const std::string what = signature(tensor);
  message->mine = Card("", is_send ? what : "", is_send ? "" : what);
  const std::uint64_t number = group.next_message(from, to, tag);
  const auto slot = [&](std::uint64_t part) {
    return slot_of({kMessages, group.id(), static_cast<std::uint64_t>(way.from),
                    static_cast<std::uint64_t>(way.to), static_cast<std::uint64_t>(way.tag), number, part,
                    fnv1a_64(part == 0 ? "" : what)});
  };
  Mesh& mesh = group.mesh();
  message->card_received = mesh.receive(peer, slot(0), &message->theirs, sizeof(Card));
  message->card_sent = mesh.send(peer, slot(0), &message->mine, sizeof(Card));
  const auto bytes = static_cast<std::size_t>(tensor.nbytes());
  message->data = is_send ? mesh.send(peer, slot(1), data, bytes) : mesh.receive(peer, slot(1), data, bytes);
  count_message(launch, tensor, way, number);
  const auto work = std::make_shared<PendingWork>(
      [message, &mesh, operation, peer] { message->complete(mesh, operation, peer); },
      [message] { message->buffers.finish(); });
  work->is_lazy = true;
  return Work(work);
}

Work start_message(const char* operation, const Tensor& tensor, int peer, bool is_send, const Group& of,
                   int tag) {
  const Launch launch(operation, {.group = of});
  const int own = launch.rank(), other = launch.root(peer);
  if (launch.is(other)) launch.fail("a rank can't send to itself");
  const Way way{is_send ? own : other, is_send ? other : own, tag, is_send};
  if (tensor.defined() && tensor.is_cuda()) return start_on_gpu(launch, tensor, way);
  return start_on_cpu(launch, operation, tensor, way);
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
