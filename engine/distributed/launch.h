#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/agreement.h"
#include "distributed/buffers.h"
#include "distributed/collectives.h"
#include "distributed/exchange.h"
#include "distributed/nccl_communicator.h"

namespace lectern::distributed {

/// One call of a collective: its group, its tensors, its costs.
class Launch {
 public:
  Launch(std::string operation, const CollectiveOptions& options)
      : group_(member_group(operation, options.group)),
        options_(options),
        operation_(std::move(operation)),
        buffers_(std::make_shared<Buffers>(operation_)) {}

  const std::string& operation() const { return operation_; }
  ProcessGroup& group() const { return group_; }
  int size() const { return group_.size(); }
  int rank() const { return group_.rank(); }
  Buffers& buffers() const { return *buffers_; }
  const std::shared_ptr<Buffers>& shared_buffers() const { return buffers_; }
  /// Whether the tensors that buffers() has seen are.
  bool is_on_gpu() const { return buffers_->device().is_cuda(); }

  /// The rank in the group of a global one, which must be in it.
  int root(int global_rank) const;
  bool is(int rank) const { return group_.rank() == rank; }

  [[noreturn]] void fail(const std::string& problem) const;
  /// As many tensors as ranks, all like `tensor`.
  void check_list(const char* what, const std::vector<Tensor>& tensors, const Tensor* like) const;

  using Step = std::function<void(Exchange&)>;
  /// What a collective does when the ranks have agreed on its terms; each may be null.
  struct Steps {
    /// Of tensors on the CPU: begins messages, of sizes that follow from `terms.call`, while the ranks agree.
    Step post = nullptr;
    Step run = nullptr;         ///< the rest
    nccl::Step nccl = nullptr;  ///< of tensors on a GPU, where there are elements
  };
  /// Counts the bytes, and runs the steps on the group's thread.
  Work start(Terms terms, std::int64_t sent, std::int64_t received, Steps steps) const;
  Work start(const std::string& call, std::int64_t sent, std::int64_t received, Steps steps) const {
    return start(Terms{operation_, call}, sent, received, std::move(steps));
  }
  /// A TensorError where tensors on GPUs can't be communicated.
  void check_gpu() const;
  /// Of a group that is part of this one, and agrees by this: neither counted nor waited for.
  Work start_on_gpu(ProcessGroup& group, std::uint64_t sequence, std::function<void()> agree,
                    nccl::Step step) const;

 private:
  std::shared_ptr<PendingWork> work_on_cpu(Terms terms, std::uint64_t sequence, Steps steps) const;
  std::shared_ptr<PendingWork> work_on_gpu(ProcessGroup& group, std::uint64_t sequence,
                                           std::function<void()> agree, nccl::Step step) const;

  ProcessGroup& group_;
  CollectiveOptions options_;
  std::string operation_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace lectern::distributed
