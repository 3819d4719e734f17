#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/shard.h"
#include "distributed/process_group.h"
#include "distributed/work.h"
#include "nn/module.h"

namespace lectern::distributed {

/// The parameters that are gathered and freed together, as one array, of which each rank keeps a share: the
/// same number of elements, the array filled up with zeros. Of FullyShardedDataParallel.
class ShardedUnit {
 public:
  /// A parameter, and this rank's piece of it.
  struct Entry {
    std::string name;
    Tensor parameter;
    Sizes shape;
    std::int64_t begin;       ///< in the array
    Tensor piece;             ///< one-dimensional; without elements where this rank has none
    std::int64_t offset = 0;  ///< of the piece, in the parameter
    bool has_gradient = false;
  };

  /// Takes over the parameters, with rank 0's values. `keeps_memory`: the array stays allocated, with this
  /// rank's share in it. A TensorError when dtypes differ.
  ShardedUnit(std::string name, const nn::Module::Named<Tensor>& parameters, Group group, bool keeps_memory);
  ShardedUnit(const ShardedUnit&) = delete;
  ShardedUnit& operator=(const ShardedUnit&) = delete;

  const std::string& name() const { return name_; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// Counts changes of this rank's share.
  std::uint64_t version() const { return share_tensor_.storage().version(); }

  /// The parameters have their elements: an all-gather, unless they have them already.
  void gather();
  /// They have not; their memory is freed.
  void release();
  /// The same, and the next release() keeps what was assigned to them.
  void gather_to_assign();

  /// The entry's gradient was computed. Whether all of them are now.
  bool take_gradient(std::size_t entry);
  /// Whether gradients are yet to be averaged.
  bool needs_reduction() const { return is_used || (gradients_.defined() && !averaged_.defined()); }
  /// Begins to average the gradients over the ranks; those that were not taken are 0.
  void start_reduction();
  /// Waits for it, and adds this rank's share to the pieces' gradients.
  void finish_reduction();
  /// Forgets gradients that were taken.
  void drop_gradients();

  /// Where a forward pass has used the parameters, and no backward pass has averaged their gradients yet.
  bool is_used = false;

 private:
  void take_parameters(const nn::Module::Named<Tensor>& parameters);
  void make_pieces();

  std::string name_;
  Group group_;
  bool keeps_memory_, is_gathered_ = false, is_assigned_ = false;
  std::vector<Entry> entries_;
  std::int64_t numel_ = 0, share_ = 0;
  std::shared_ptr<DeferredElements> absent_;  ///< instead of elements that are not here
  Tensor array_, share_tensor_;
  Tensor gradients_;  ///< like the array, in a backward pass
  Tensor averaged_;   ///< like the share, while it is being computed
  Work reduction_;
};

}  // namespace lectern::distributed
