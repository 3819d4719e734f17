#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "data/batches.h"
#include "data/prefetcher.h"
#include "device/stream.h"
#include "tensor/creation.h"

namespace lectern {

/// Brings the batches of a source to a device, some of them ahead: a thread of its own makes them while the
/// program computes, and copies to a GPU go from pinned memory in a stream of their own. The batches are the
/// source's, in its order, whatever the timing.
class DataLoader {
 public:
  /// `prefetch`: how many batches wait at most. A TensorError when it is 0, and when there is no source.
  explicit DataLoader(std::shared_ptr<BatchSource> source, Device device = default_device(),
                      std::size_t prefetch = 2);

  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  /// The tensors of the next batch, ready for what is given to the current stream. Throws what the source
  /// throws.
  std::vector<Tensor> next();

  /// The source's state after the last batch that next() returned, not after those that wait.
  const StateDict& state_dict() const { return state_; }
  /// Goes on from there; batches that wait are dropped. Throws what the source throws, and goes on from where
  /// it was then. Should the source not take its own state back either, that is thrown, and by next() a
  /// TensorError until it takes one.
  void load_state_dict(const StateDict& state);

 private:
  struct Batch {
    std::vector<Tensor> tensors;
    StateDict state;
    std::optional<cuda::Event> arrived;
  };

  Batch make() const;
  void start();

  std::shared_ptr<BatchSource> source_;
  Device device_;
  std::size_t prefetch_;
  StateDict state_;
  std::optional<cuda::Stream> stream_;
  std::unique_ptr<Prefetcher<Batch>> prefetcher_;
};

}  // namespace lectern
