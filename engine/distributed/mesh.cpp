#include "distributed/mesh.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gloo/common/error.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include "base/tensor_error.h"
#include "distributed/gloo_store.h"
#include "distributed/watchdog.h"

namespace lectern::distributed {

enum class Reason : std::int32_t { none, closed, silent, left };

/// Why a rank is lost; sent to the others.
struct Loss {
  std::int32_t rank = -1;
  Reason reason = Reason::none;
  std::int64_t milliseconds = 0;  ///< of silence
};

namespace {

constexpr Milliseconds kForever = std::chrono::hours(24 * 365);  // Gloo's own timeouts break all connections
constexpr std::uint64_t kNoticeSlot = 1;

/// Gloo writes to sockets without MSG_NOSIGNAL: a lost peer would end this process.
class PipeSignalBlock {
 public:
  PipeSignalBlock() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~PipeSignalBlock() {
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  PipeSignalBlock(const PipeSignalBlock&) = delete;
  PipeSignalBlock& operator=(const PipeSignalBlock&) = delete;

 private:
  sigset_t pipe_{}, before_{};
};

std::string text(const Loss& loss) {
  switch (loss.reason) {
    case Reason::closed:
      return fmt::format("rank {} is gone: its process ended, or closed its connections", loss.rank);
    case Reason::silent:
      return fmt::format("rank {} did not take part within {} s: it hangs, or called something else",
                         loss.rank, static_cast<double>(loss.milliseconds) / 1000);
    case Reason::left:
      return fmt::format("rank {} is gone: it called destroy_process_group", loss.rank);
    case Reason::none:
      break;
  }
  return {};
}

std::shared_ptr<gloo::transport::Device> tcp_device() {
  gloo::transport::tcp::attr attributes;
  if (const char* interface = std::getenv("GLOO_SOCKET_IFNAME")) {
    attributes.iface = interface;
  } else {
    attributes.hostname = "127.0.0.1";
  }
  return gloo::transport::tcp::CreateDevice(attributes);
}

}  // namespace

struct Mesh::Transfer::Impl {
  std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
  int peer;
  bool is_send;
};

Mesh::Transfer::Transfer() = default;
Mesh::Transfer::Transfer(Transfer&& other) noexcept = default;
Mesh::Transfer& Mesh::Transfer::operator=(Transfer&& other) noexcept = default;
Mesh::Transfer::~Transfer() = default;

struct Mesh::Impl {
  /// A peer's last words, for which a receive is posted from the beginning, so that they arrive even when
  /// this rank waits for another.
  struct Notice {
    Loss received, sent;
    Transfer receive, send;
    bool has_arrived = false;
  };

  Milliseconds timeout;
  std::unique_ptr<gloo::rendezvous::Context> context;
  std::vector<Notice> notices;
  Watchdog watchdog;
  std::mutex mutex;
  std::optional<Loss> loss;
  std::optional<int> told_by;

  Transfer begin(int peer, std::uint64_t slot, void* bytes, std::size_t count, bool is_send);
  Transfer begin_or_fail(int peer, std::uint64_t slot, void* bytes, std::size_t count, bool is_send,
                         std::string_view operation);
  bool finish(const Transfer& transfer, Clock::time_point deadline);
  std::optional<Loss> notice_of(int peer, Clock::time_point deadline);
  bool is_gone(int peer);
  bool has_left(int peer);
  void tell(const Loss& found);
  void lose(int peer, Reason reason);
  [[noreturn]] void fail(std::string_view operation) const;
  void check(std::string_view operation);
};

Mesh::Transfer Mesh::Impl::begin(int peer, std::uint64_t slot, void* bytes, std::size_t count, bool is_send) {
  Transfer transfer;
  if (count == 0) return transfer;
  const PipeSignalBlock block;
  transfer.impl_ = std::make_unique<Transfer::Impl>();
  transfer.impl_->buffer = context->createUnboundBuffer(bytes, count);
  transfer.impl_->peer = peer;
  transfer.impl_->is_send = is_send;
  if (is_send) {
    transfer.impl_->buffer->send(peer, slot);
  } else {
    transfer.impl_->buffer->recv(peer, slot);
  }
  return transfer;
}

Mesh::Transfer Mesh::Impl::begin_or_fail(int peer, std::uint64_t slot, void* bytes, std::size_t count,
                                         bool is_send, std::string_view operation) {
  check(operation);
  try {
    return begin(peer, slot, bytes, count, is_send);
  } catch (const gloo::Exception&) {
    lose(peer, Reason::closed);
    fail(operation);
  }
}

/// Whether it arrived before the deadline. Throws Gloo's exceptions for a broken connection.
bool Mesh::Impl::finish(const Transfer& transfer, Clock::time_point deadline) {
  gloo::transport::UnboundBuffer& buffer = *transfer.impl_->buffer;
  const bool is_send = transfer.impl_->is_send;
  const Watchdog::Watch watch(watchdog, deadline,
                              [&] { is_send ? buffer.abortWaitSend() : buffer.abortWaitRecv(); });
  return is_send ? buffer.waitSend(kForever) : buffer.waitRecv(kForever);
}

/// What a peer had to say, if that has arrived by the deadline; throws Gloo's exception when its connection
/// is broken and it said nothing. By one thread at a time.
std::optional<Loss> Mesh::Impl::notice_of(int peer, Clock::time_point deadline) {
  Notice& notice = notices[static_cast<std::size_t>(peer)];
  if (!notice.has_arrived) notice.has_arrived = finish(notice.receive, deadline);
  if (!notice.has_arrived) return {};
  return notice.received;
}

bool Mesh::Impl::is_gone(int peer) {
  const std::lock_guard lock(mutex);
  try {
    return loss || notice_of(peer, Clock::now()).has_value();
  } catch (const gloo::Exception&) {
    return true;
  }
}

/// After is_gone(): by its own will.
bool Mesh::Impl::has_left(int peer) {
  const std::lock_guard lock(mutex);
  const Notice& notice = notices[static_cast<std::size_t>(peer)];
  return loss ? loss->reason == Reason::left : notice.has_arrived && notice.received.reason == Reason::left;
}

void Mesh::Impl::tell(const Loss& found) {
  const Clock::time_point deadline = Clock::now() + Milliseconds(500);
  for (std::size_t peer = 0; peer < notices.size(); ++peer) {
    const int to = static_cast<int>(peer);
    if (to == context->rank || to == found.rank) continue;
    Notice& notice = notices[peer];
    notice.sent = found;
    try {
      notice.send = begin(to, kNoticeSlot, &notice.sent, sizeof notice.sent, true);
      finish(notice.send, deadline);
    } catch (const gloo::Exception&) {  // it is lost as well
    }
  }
}

void Mesh::Impl::lose(int peer, Reason reason) {
  const std::lock_guard lock(mutex);
  if (loss) return;
  loss = Loss{peer, reason, timeout.count()};
  try {
    const auto said = notice_of(peer, Clock::now() + Milliseconds(100));
    if (said && said->rank != context->rank) {
      loss = said;
      if (said->rank != peer) told_by = peer;
    }
  } catch (const gloo::Exception&) {  // it said nothing
  }
  tell(*loss);
}

void Mesh::Impl::fail(std::string_view operation) const {
  throw TensorError(operation,
                    text(*loss) + (told_by ? " (as rank " + std::to_string(*told_by) + " found)" : ""));
}

void Mesh::Impl::check(std::string_view operation) {
  const std::lock_guard lock(mutex);
  if (loss) fail(operation);
}

Mesh::Mesh(Store& store, int rank, int size, Milliseconds timeout) : impl_(std::make_unique<Impl>()) {
  impl_->timeout = timeout;
  impl_->context = std::make_unique<gloo::rendezvous::Context>(rank, size);
  impl_->context->setTimeout(timeout);
  const PipeSignalBlock block;  // inherited by Gloo's thread
  try {
    auto device = tcp_device();
    GlooStore meeting(store, timeout);
    impl_->context->connectFullMesh(meeting, device);
  } catch (const std::exception& error) {
    if (dynamic_cast<const TensorError*>(&error) != nullptr) throw;
    throw TensorError("init_process_group",
                      "the ranks can't connect with each other: " + std::string(error.what()));
  }
  impl_->context->setTimeout(kForever);
  impl_->notices.resize(static_cast<std::size_t>(size));
  for (int peer = 0; peer < size; ++peer) {
    if (peer == rank) continue;
    Impl::Notice& notice = impl_->notices[static_cast<std::size_t>(peer)];
    notice.receive = impl_->begin(peer, kNoticeSlot, &notice.received, sizeof notice.received, false);
  }
}

Mesh::~Mesh() {
  const PipeSignalBlock block;
  impl_->context->closeConnections();
}

void Mesh::leave() {
  constexpr Milliseconds kPatience = std::chrono::seconds(10);
  const std::lock_guard lock(impl_->mutex);
  if (impl_->loss) return;
  impl_->loss = Loss{impl_->context->rank, Reason::left};
  const PipeSignalBlock block;
  impl_->tell(*impl_->loss);
  const Clock::time_point deadline = Clock::now() + std::min(kPatience, impl_->timeout);
  for (Impl::Notice& notice : impl_->notices) {
    try {
      if (notice.receive.impl_ != nullptr && !notice.has_arrived) impl_->finish(notice.receive, deadline);
    } catch (const gloo::Exception&) {  // it is gone already
    }
  }
}

int Mesh::rank() const {
  return impl_->context->rank;
}
int Mesh::size() const {
  return impl_->context->size;
}
Milliseconds Mesh::timeout() const {
  return impl_->timeout;
}

Mesh::Transfer Mesh::send(int peer, std::uint64_t slot, const void* bytes, std::size_t count,
                          std::string_view operation) {
  return impl_->begin_or_fail(peer, slot, const_cast<void*>(bytes), count, true, operation);
}

Mesh::Transfer Mesh::receive(int peer, std::uint64_t slot, void* bytes, std::size_t count,
                             std::string_view operation) {
  return impl_->begin_or_fail(peer, slot, bytes, count, false, operation);
}

// A message that has arrived in part when the connection breaks is forgotten by Gloo: nobody is told. The
// receive of the peer's last words is told, so a long wait looks at that from time to time. It also hears of
// peers that have given up and still run.
void Mesh::wait(Transfer& transfer, Clock::time_point deadline, std::string_view operation) {
  constexpr Milliseconds kLook(200), kMoment(50);
  if (transfer.impl_ == nullptr) return;
  const int peer = transfer.impl_->peer;
  const PipeSignalBlock block;
  try {
    for (bool is_gone = false; !is_gone; is_gone = impl_->is_gone(peer)) {
      const Clock::time_point now = Clock::now();
      if (impl_->finish(transfer, std::min(deadline, now + kLook))) {
        transfer = {};
        return;
      }
      if (now >= deadline) {
        impl_->lose(peer, Reason::silent);
        impl_->fail(operation);
      }
    }
    if (impl_->finish(transfer, Clock::now() + kMoment)) {  // it came just before
      transfer = {};
      return;
    }
  } catch (const gloo::Exception&) {
  }
  impl_->lose(peer, Reason::closed);
  impl_->fail(operation);
}

bool Mesh::is_over(Transfer& transfer) {
  try {
    if (transfer.impl_ != nullptr && !impl_->finish(transfer, Clock::now())) return false;
  } catch (const gloo::Exception&) {  // its connection is broken
  }
  transfer = {};
  return true;
}

void Mesh::check(std::span<const int> peers, std::string_view operation) {
  const PipeSignalBlock block;
  for (const int peer : peers) {
    if (peer == rank() || !impl_->is_gone(peer) || impl_->has_left(peer)) continue;
    impl_->lose(peer, Reason::closed);
    impl_->fail(operation);
  }
}

}  // namespace lectern::distributed
