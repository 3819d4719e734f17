#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/communication.h"
#include "distributed/launch.h"
#include "distributed/observer.h"

namespace lectern::distributed {
namespace {

/// Who sends to whom, by their ranks in the group.
struct Route {
  int from, to, tag;
  bool is_send;  ///< of this rank
};

/// A message, by its number among those of its route: the same on both sides.
class Message {
 public:
  Message(const Launch& launch, const Route& route)
      : buffers_(launch.shared_buffers()),
        operation_(launch.operation()),
        mesh_(launch.group().shared_mesh()),
        group_(launch.group().id()),
        route_(route) {
    peer_ = launch.group().global(route.is_send ? route.to : route.from);
    number_ = launch.group().next_message(route.from, route.to, route.tag);
  }

  std::uint64_t number() const { return number_; }

  /// Begins to tell the other side what is sent, or expected, and by which way: "on the CPU".
  void post(const std::string& call, const std::string& what) {
    mine_ = Card(call, route_.is_send ? what : "", route_.is_send ? "" : what);
    card_received_ = mesh_->receive(peer_, slot(0, ""), &theirs_, sizeof(Card), operation_);
    card_sent_ = mesh_->send(peer_, slot(0, ""), &mine_, sizeof(Card), operation_);
    what_ = what;
  }
  /// Begins to move the elements of a tensor on the CPU; those of different tensors meet nothing.
  void post_elements(std::byte* data, std::size_t bytes) {
    elements_ = route_.is_send ? mesh_->send(peer_, slot(1, what_), data, bytes, operation_)
                               : mesh_->receive(peer_, slot(1, what_), data, bytes, operation_);
  }
  /// A TensorError where the sides differ.
  void agree() {
    wait(card_received_);
    wait(card_sent_);
    try {
      Card::check(mine_, mesh_->rank(), theirs_, peer_);
    } catch (const Disagreement& problem) {
      throw TensorError(operation_, problem.what());
    }
  }
  void finish() { wait(elements_); }
  bool is_over() {
    return mesh_->is_over(card_received_) && mesh_->is_over(card_sent_) && mesh_->is_over(elements_);
  }

 private:
  std::uint64_t slot(std::uint64_t part, const std::string& what) const {
    constexpr std::uint64_t kMessages = 7;  // apart from a group's collectives
    return slot_of({kMessages, group_, static_cast<std::uint64_t>(route_.from),
                    static_cast<std::uint64_t>(route_.to), static_cast<std::uint64_t>(route_.tag), number_,
                    part, fnv1a_64(what)});
  }
  void wait(Mesh::Transfer& transfer) { mesh_->wait(transfer, Clock::now() + mesh_->timeout(), operation_); }

  std::shared_ptr<Buffers> buffers_;  ///< outlive the transfers
  std::string operation_;
  std::shared_ptr<Mesh> mesh_;
  std::uint64_t group_;
  Route route_;
  std::uint64_t number_ = 0;
  int peer_ = -1;
  std::string what_;
  Card mine_ = {}, theirs_ = {};
  Mesh::Transfer card_sent_ = {}, card_received_ = {}, elements_ = {};
};

void count_message(const Launch& launch, const Tensor& tensor, const Route& route, std::uint64_t number) {
  const std::int64_t sent = route.is_send ? tensor.nbytes() : 0,
                     received = route.is_send ? 0 : tensor.nbytes();
  count_communication(sent, received);
  notify_observer(
      {launch.operation(), launch.group().id(), number, sent, received, route.from, route.to, route.tag});
}

/// By NCCL, in the thread of the pair, in the order of calls: it knows no tags.
Work start_on_gpu(const Launch& launch, const std::shared_ptr<Message>& message, const Tensor& tensor,
                  const Route& route, std::byte* data) {
  ProcessGroup& pair = launch.group().direction(route.from, route.to);
  const std::uint64_t sequence = pair.next_sequence();
  message->post(fmt::format("send and recv on GPUs, the {}. from rank {} to rank {}", sequence,
                            launch.group().global(route.from), launch.group().global(route.to)),
                signature(tensor));
  return launch.start_on_gpu(
      pair, sequence, [message] { message->agree(); },
      [data, bytes = static_cast<std::size_t>(tensor.nbytes()),
       is_send = route.is_send](const nccl::Channel& channel) {
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
      [buffers = launch.shared_buffers()] { buffers->finish(); }, [message] { return message->is_over(); });
  launch.group().keep(work);
  return Work(work);
}

Work start_message(const char* operation, const Tensor& tensor, int peer, bool is_send, const Group& group,
                   int tag) {
  const Launch launch(operation, {.group = group});
  const int own = launch.rank(), other = launch.root(peer);
  if (launch.is(other)) launch.fail("a rank can't send to itself");
  const Route route{is_send ? own : other, is_send ? other : own, tag, is_send};
  std::byte* const data = is_send ? launch.buffers().input(tensor) : launch.buffers().output(tensor);
  if (launch.is_on_gpu()) launch.check_gpu();
  const auto message = std::make_shared<Message>(launch, route);
  count_message(launch, tensor, route, message->number());
  return launch.is_on_gpu() ? start_on_gpu(launch, message, tensor, route, data)
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
