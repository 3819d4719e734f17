#pragma once

#include <functional>
#include <memory>
#include <string>

#include "distributed/agreement.h"
#include "distributed/buffers.h"
#include "distributed/collectives.h"
#include "distributed/exchange.h"

namespace lectern::distributed {

/// One call of a collective: its group, its tensors, its costs.
class Launch {
 public:
  Launch(std::string operation, const CollectiveOptions& options)
      : group_(member_group(operation, options.group)),
        options_(options),
        operation_(std::move(operation)),
        buffers_(std::make_shared<Buffers>(operation_)) {}

  ProcessGroup& group() const { return group_; }
  int size() const { return group_.size(); }
  int rank() const { return group_.rank(); }
  Buffers& buffers() const { return *buffers_; }

  /// The rank in the group of a global one, which must be in it.
  int root(int global_rank) const;
  bool is(int rank) const { return group_.rank() == rank; }

  [[noreturn]] void fail(const std::string& problem) const;
  /// As many tensors as ranks, all like `tensor`.
  void check_list(const char* what, const std::vector<Tensor>& tensors, const Tensor* like) const;

  using Step = std::function<void(Exchange&)>;
  /// On the group's thread: `post` begins messages, of sizes that follow from `terms.call`, while the ranks
  /// agree on the terms; `run` does the rest, once they have. Either may be null.
  Work start(Terms terms, std::int64_t sent, std::int64_t received, Step post, Step run) const;
  Work start(const std::string& call, std::int64_t sent, std::int64_t received, Step run) const {
    return start(Terms{operation_, call}, sent, received, nullptr, std::move(run));
  }

 private:
  ProcessGroup& group_;
  CollectiveOptions options_;
  std::string operation_;
  std::shared_ptr<Buffers> buffers_;
};

}  // namespace lectern::distributed
