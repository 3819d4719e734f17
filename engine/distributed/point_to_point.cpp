#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/communication.h"
#include "distributed/launch.h"
#include "distributed/observer.h"

namespace lectern::distributed {
namespace {

/// Who sends to whom, by their ranks in the group.
struct Way {
  int from, to, tag;
  bool is_send;  ///< of this rank
};

/// A message, by its number among those of its way: the same on both sides.
class Message {
 public:
  Message(const Launch& launch, const Way& way)
      : operation_(launch.operation()), mesh_(launch.group().mesh()), group_(launch.group().id()), way_(way) {
    peer_ = launch.group().global(way.is_send ? way.to : way.from);
    number_ = launch.group().next_message(way.from, way.to, way.tag);
  }

  std::uint64_t number() const { return number_; }

  /// Begins to tell the other side what is sent, or expected, and by which way: "on the CPU".
  void post(const std::string& call, const std::string& what) {
    mine_ = Card(call, way_.is_send ? what : "", way_.is_send ? "" : what);
    card_received_ = mesh_.receive(peer_, slot(0, ""), &theirs_, sizeof(Card), operation_);
    card_sent_ = mesh_.send(peer_, slot(0, ""), &mine_, sizeof(Card), operation_);
    what_ = what;
  }
  /// Begins to move the elements of a tensor on the CPU; those of different tensors meet nothing.
  void post_elements(std::byte* data, std::size_t bytes) {
    elements_ = way_.is_send ? mesh_.send(peer_, slot(1, what_), data, bytes, operation_)
                             : mesh_.receive(peer_, slot(1, what_), data, bytes, operation_);
  }
  /// A TensorError where the sides differ.
  void agree() {
    wait(card_received_);
    wait(card_sent_);
    try {
      Card::check(mine_, mesh_.rank(), theirs_, peer_);
    } catch (const Disagreement& problem) {
      throw TensorError(operation_, problem.what());
    }
  }
  void finish() { wait(elements_); }

 private:
  std::uint64_t slot(std::uint64_t part, const std::string& what) const {
    constexpr std::uint64_t kMessages = 7;  // apart from a group's collectives
    return slot_of({kMessages, group_, static_cast<std::uint64_t>(way_.from),
                    static_cast<std::uint64_t>(way_.to), static_cast<std::uint64_t>(way_.tag), number_, part,
                    fnv1a_64(what)});
  }
  void wait(Mesh::Transfer& transfer) { mesh_.wait(transfer, Clock::now() + mesh_.timeout(), operation_); }

  std::string operation_;
  Mesh& mesh_;
  std::uint64_t group_;
  Way way_;
  std::uint64_t number_ = 0;
  int peer_ = -1;
  std::string what_;
  Card mine_ = {}, theirs_ = {};
  Mesh::Transfer card_sent_ = {}, card_received_ = {}, elements_ = {};
};

void count_message(const Launch& launch, const Tensor& tensor, const Way& way, std::uint64_t number) {
  const std::int64_t sent = way.is_send ? tensor.nbytes() : 0, received = way.is_send ? 0 : tensor.nbytes();
  count_communication(sent, received);
  tell_observer({launch.operation(), launch.group().id(), number, sent, received, way.from, way.to, way.tag});
}

/// By NCCL, in the thread of the pair, in the order of calls: it knows no tags.
Work start_on_gpu(const Launch& launch, const std::shared_ptr<Message>& message, const Tensor& tensor,
                  const Way& way, std::byte* data) {
  ProcessGroup& pair = launch.group().direction(way.from, way.to);
  const std::uint64_t sequence = pair.next_sequence();
  message->post(fmt::format("send and recv on GPUs, the {}. from rank {} to rank {}", sequence,
                            launch.group().global(way.from), launch.group().global(way.to)),
                signature(tensor));
  return launch.start_on_gpu(
      pair, sequence, [message] { message->agree(); },
      [data, bytes = static_cast<std::size_t>(tensor.nbytes()),
       is_send = way.is_send](const nccl::Channel& channel) {
        return is_send ? channel.send(data, bytes, 1) : channel.receive(data, bytes, 0);
      });
}

Work start_on_cpu(const Launch& launch, const std::shared_ptr<Message>& message, const Tensor& tensor,
                  std::byte* data) {
  message->post("send and recv on the CPU", signature(tensor));
  message->post_elements(data, static_cast<std::size_t>(tensor.nbytes()));
  const auto work = std::make_shared<PendingWork>(
      [message] {
        message->agree();
        message->finish();
      },
      [buffers = launch.shared_buffers()] { buffers->finish(); });
  work->is_lazy = true;
  return Work(work);
}

Work start_message(const char* operation, const Tensor& tensor, int peer, bool is_send, const Group& of,
                   int tag) {
  const Launch launch(operation, {.group = of});
  const int own = launch.rank(), other = launch.root(peer);
  if (launch.is(other)) launch.fail("a rank can't send to itself");
  const Way way{is_send ? own : other, is_send ? other : own, tag, is_send};
  std::byte* const data = is_send ? launch.buffers().input(tensor) : launch.buffers().output(tensor);
  if (launch.is_on_gpu()) launch.check_gpu();
  const auto message = std::make_shared<Message>(launch, way);
  count_message(launch, tensor, way, message->number());
  return launch.is_on_gpu() ? start_on_gpu(launch, message, tensor, way, data)
                            : start_on_cpu(launch, message, tensor, data);
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
