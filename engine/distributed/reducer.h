#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "autograd/backward_hooks.h"
#include "distributed/process_group.h"
#include "distributed/work.h"
#include "nn/module.h"

namespace lectern::distributed {

/// Of DistributedDataParallel (distributed/data_parallel.h).
struct DataParallelOptions {
  Group process_group = nullptr;  ///< all ranks
  /// Gradients are averaged in buckets of about so many MiB, in the reverse order of parameters; the first is
  /// closed at 1 MiB, so that communication begins early.
  double bucket_cap_mb = 25;
  /// Parameters that a forward pass does not use count as ready, with what grad() they have, else 0.
  bool find_unused_parameters = false;
  /// Buffers become rank 0's before each forward pass.
  bool broadcast_buffers = true;
};

/// Averages a module's gradients over the ranks while backward() runs: as soon as all gradients of a bucket
/// are there, it is all-reduced, in the background.
class Reducer {
 public:
  /// Makes parameters and buffers rank 0's. A TensorError when the ranks' parameters differ in number, shape
  /// or dtype, and when none requires a gradient.
  Reducer(nn::Module& module, const DataParallelOptions& options);
  ~Reducer();
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  /// A TensorError when the last backward() did not finish.
  void prepare_for_forward();
  /// The next backward() averages the gradients.
  void prepare_for_backward(const std::vector<Tensor>& outputs);

  /// Whether gradients are averaged.
  bool require_sync = true;

 private:
  struct Entry {
    std::string name;
    Tensor parameter;
    std::size_t bucket = 0;
    std::int64_t offset = 0;
    bool is_ready = false;
    bool is_used = true;
    Tensor gradient = {};  ///< a part of the bucket
  };
  struct Bucket {
    Dtype dtype;
    std::int64_t numel = 0;
    std::vector<std::size_t> entries = {};
    std::size_t missing = 0;
    Tensor flat = {};
    Work work = {};
  };

  void make_buckets();
  void on_gradient(std::size_t index);
  void mark_ready(std::size_t index);
  void finish();
  void reset();
  void share_unused();
  std::string names(bool (*is_wanted)(const Entry&)) const;

  DataParallelOptions options_;
  std::vector<Entry> entries_;
  std::vector<Tensor> buffers_;
  std::vector<Bucket> buckets_;
  std::vector<autograd::RemovableHandle> handles_;
  std::size_t next_bucket_ = 0;  ///< to be all-reduced: the same order on all ranks
  bool is_active_ = false;       ///< the next backward() averages
  bool is_begun_ = false;        ///< a backward() has begun to
};

}  // namespace lectern::distributed
