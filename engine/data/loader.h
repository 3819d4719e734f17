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

/// Moves a source's batches to a device ahead of time: a background thread makes them while the program
/// computes, and copies to a GPU go from pinned memory in a separate stream. The batches are the source's, in
/// its order, whatever the timing.
class DataLoader {
 public:
  /// `prefetch`: the most batches waiting. A TensorError when it is 0, and when there is no source.
  explicit DataLoader(std::shared_ptr<BatchSource> source, Device device = default_device(),
                      std::size_t prefetch = 2);

  DataLoader(const DataLoader&) = delete;
  DataLoader& operator=(const DataLoader&) = delete;

  /// The tensors of the next batch, ready for work on the current stream. Rethrows the source's exceptions.
  std::vector<Tensor> next();

  /// The source's state after the last batch that next() returned, excluding prefetched ones.
  const StateDict& state_dict() const { return state_; }
  /// Resumes from there; prefetched batches are dropped. Rethrows the source's exceptions, and then resumes
  /// from its previous state. If the source rejects that too, its exception is thrown, and next() throws a
  /// TensorError until it accepts a state.
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
