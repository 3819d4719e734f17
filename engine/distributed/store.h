#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lectern::distributed {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

/// The rendezvous: a key-value store that all ranks of a run see. Every function throws a TensorError when
/// the store is out of reach.
class Store {
 public:
  virtual ~Store() = default;

  /// False, and nothing is changed, when the key has a value.
  virtual bool add(const std::string& key, const std::string& value) = 0;
  virtual std::optional<std::string> find(const std::string& key) = 0;
  /// Called once by each rank when all are connected.
  virtual void close() = 0;
};

/// In a folder, with a file for each key. The folder is made if it is missing; rank 0's close() removes the
/// files, and the folder unless there is something else in it. Readable by whatever shares the file system.
std::unique_ptr<Store> file_store(const std::string& folder, int rank);

/// In the memory of rank 0, which listens at an address and answers the others until close(). A TensorError
/// when rank 0 can't listen there, and when for `timeout` nobody does.
std::unique_ptr<Store> tcp_store(const std::string& host, int port, int rank, Milliseconds timeout);

}  // namespace lectern::distributed
