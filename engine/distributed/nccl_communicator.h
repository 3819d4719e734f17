#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/tensor_error.h"
#include "device/stream.h"
#include "distributed/nccl_library.h"
#include "distributed/store.h"

namespace lectern::nccl {

using distributed::Clock;
using distributed::Milliseconds;

/// Where a collective asks NCCL for what it needs: elements that only move go as bytes.
struct Channel {
  const Library& nccl;
  Comm comm;
  cuda::StreamHandle stream;

  Result send(const void* data, std::size_t bytes, int peer) const {
    return nccl.Send(data, bytes, Type::uint8, peer, comm, stream);
  }
  Result receive(void* data, std::size_t bytes, int peer) const {
    return nccl.Recv(data, bytes, Type::uint8, peer, comm, stream);
  }
};

/// What a collective asks NCCL for, within one NCCL group; returns the first result that is no success.
using Step = std::function<Result(const Channel&)>;

/// NCCL's connections of this process's GPU with those of a group's other ranks, and the stream on which
/// their collectives run. A thread looks after them: when one takes longer than `timeout`, NCCL has an error
/// or a rank is lost, all are aborted, the reason is what everything throws from then on, and what waits for
/// a GPU as well (device/faults.h).
class Communicator {
 public:
  struct Ranks {
    int rank, size;
    Milliseconds timeout;
    /// Throws a TensorError of an operation when one of the others is lost.
    std::function<void(std::string_view operation)> check;
  };

  /// All ranks call it at about the same time, with an id that one of them has from unique_id(). TensorErrors
  /// of `operation`: NCCL's, and after the timeout.
  Communicator(std::string_view operation, const UniqueId& id, int device, Ranks ranks);
  /// Waits until all is done, at most until it is aborted.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Throws an Error with NCCL's reason, where no interface of the network serves, say.
  static UniqueId unique_id();

  int device() const { return device_; }
  const cuda::Stream& stream() const { return stream_.get(); }

  /// On the stream, after `ready`. By one thread. The mark is reached when it is done.
  std::shared_ptr<const cuda::Event> enqueue(const std::string& operation, const cuda::Event& ready,
                                             const Step& step);
  /// Throws what has ended the communicator, if anything has.
  void check(std::string_view operation) const;
  /// Until all that was enqueued is done, or aborted.
  void wait_until_idle();

 private:
  struct Pending {
    std::string operation;
    std::shared_ptr<const cuda::Event> done;
    Clock::time_point deadline;
  };

  void connect(std::string_view operation, const UniqueId& id);
  void settle(std::string_view operation);
  void watch();
  bool is_over(const Pending& collective);
  void abort(std::string_view operation, const std::string& problem);
  std::string reason(Result result) const;

  const Library& nccl_;
  int device_;
  Ranks ranks_;
  cuda::OwnStream stream_;  ///< or two communicators' collectives would wait for each other
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Comm comm_ = nullptr;  ///< null when aborted
  std::string problem_;  ///< why
  std::deque<Pending> pending_;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace lectern::nccl
