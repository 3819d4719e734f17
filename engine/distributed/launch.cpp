#include "distributed/launch.h"

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/communication.h"
#include "distributed/observer.h"

namespace lectern::distributed {

int Launch::root(int global_rank) const {
  for (int rank = 0; rank < size(); ++rank) {
    if (group_.global(rank) == global_rank) return rank;
  }
  fail(fmt::format("rank {} is not in the group", global_rank));
}

void Launch::fail(const std::string& problem) const {
  throw TensorError(operation_, problem);
}

void Launch::check_list(const char* what, const std::vector<Tensor>& tensors, const Tensor* like) const {
  if (tensors.size() != static_cast<std::size_t>(size()))
    fail(fmt::format("{} must be as many as ranks, {}, not {}", what, size(), tensors.size()));
  for (const Tensor& tensor : tensors) {
    if (!tensor.defined()) fail(fmt::format("one of {} is undefined", what));
    if (like != nullptr && (tensor.dtype() != like->dtype() || tensor.sizes() != like->sizes()))
      fail(fmt::format("{} must be {}, like the tensor, not {}", what, signature(*like), signature(tensor)));
  }
}

Work Launch::start(Terms terms, std::int64_t sent, std::int64_t received, Step post, Step run) const {
  count_communication(sent, received);
  const std::uint64_t sequence = group_.next_sequence();
  tell_observer({operation_, group_.id(), sequence, sent, received});
  const auto work = std::make_shared<PendingWork>(
      [&group = group_, buffers = buffers_, sequence, terms = std::move(terms), post = std::move(post),
       run = std::move(run)] {
        Exchange exchange(group, terms.operation, sequence, fnv1a_64(terms.call));
        Agreement agreement(group, sequence, terms);
        if (post != nullptr) post(exchange);
        if (const std::string problem = agreement.problem(); !problem.empty()) {
          // What ranks that agree have begun to send each other must arrive; the rest meets nothing.
          exchange.wait_for([&](int peer) { return agreement.agrees(peer); });
          throw TensorError(terms.operation, problem);
        }
        if (run != nullptr) run(exchange);
        exchange.wait_for_all();
      },
      [buffers = buffers_] { buffers->finish(); });
  group_.submit(work);
  if (!options_.async_op) work->wait();
  return Work(work);
}

}  // namespace lectern::distributed
