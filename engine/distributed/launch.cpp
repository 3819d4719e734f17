#include "distributed/launch.h"

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/tensor_error.h"
#include "device/capture.h"
#include "device/communication.h"
#include "distributed/observer.h"

namespace lectern::distributed {

int Launch::root(int global_rank) const {
  const int rank = group_.group_rank(global_rank);
  if (rank < 0) fail(fmt::format("rank {} is not in the group", global_rank));
  return rank;
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

Work Launch::start(Terms terms, std::int64_t sent, std::int64_t received, Steps steps) const {
  if (is_on_gpu()) check_gpu();
  count_communication(sent, received);
  const std::uint64_t sequence = group_.next_sequence();
  notify_observer({operation_, group_.id(), sequence, sent, received});
  std::shared_ptr<PendingWork> work;
  if (is_on_gpu()) {
    terms.call += " on GPUs";
    // Where ranks may send each other different things, others may have elements, and wait to be connected.
    const bool is_empty = terms.sends.empty() && buffers_->are_empty();
    const auto agree_on_terms = [&group = group_, sequence, terms = std::move(terms)] {
      agree(group, sequence, terms);
    };
    work = work_on_gpu(group_, sequence, agree_on_terms, is_empty ? nccl::Step() : std::move(steps.nccl));
  } else {
    work = work_on_cpu(std::move(terms), sequence, std::move(steps));
  }
  group_.submit(work);
  if (!options_.async_op) work->wait();
  return Work(work);
}

std::shared_ptr<PendingWork> Launch::work_on_cpu(Terms terms, std::uint64_t sequence, Steps steps) const {
  return std::make_shared<PendingWork>(
      [&group = group_, buffers = buffers_, sequence, terms = std::move(terms), steps = std::move(steps)] {
        Exchange exchange(group, terms.operation, sequence, fnv1a_64(terms.call));
        Agreement agreement(group, sequence, terms);
        if (steps.post != nullptr) steps.post(exchange);
        if (const std::string problem = agreement.problem(); !problem.empty()) {
          // What ranks that agree have begun to send each other must arrive; the rest meets nothing.
          exchange.wait_for([&](int peer) { return agreement.agrees(peer); });
          throw TensorError(terms.operation, problem);
        }
        if (steps.run != nullptr) steps.run(exchange);
        exchange.wait_for_all();
      },
      [buffers = buffers_] { buffers->finish(); });
}

void Launch::check_gpu() const {
  if (group_.options().backend == "gloo")
    fail("the backend of the process group is gloo, for tensors on the CPU, and this one is on " +
         buffers_->device().name() + "; call init_process_group without a backend, or with nccl");
  if (cuda::is_capturing()) fail("a collective can't be recorded; leave it out of what is captured");
  nccl::library(operation_);
}

namespace {

/// The marks between which a collective runs on its stream.
struct Marks {
  cuda::Event ready;
  std::shared_ptr<const cuda::Event> done = nullptr;  ///< null where there was nothing to do
  std::weak_ptr<const nccl::Communicator> communicator = {};
};

}  // namespace

/// The ranks agree over Gloo, as on the CPU; then NCCL is asked. The caller's stream waits in wait(), which
/// the host leaves when NCCL has been asked.
std::shared_ptr<PendingWork> Launch::work_on_gpu(ProcessGroup& group, std::uint64_t sequence,
                                                 std::function<void()> agree, nccl::Step step) const {
  const int device = buffers_->device().index();
  const auto marks = std::make_shared<Marks>(Marks{cuda::current_stream(device).record_event()});
  return std::make_shared<PendingWork>(
      [&group, buffers = buffers_, device, marks, sequence, operation = operation_, agree = std::move(agree),
       step = std::move(step)] {
        agree();
        if (step == nullptr) return;
        const auto communicator = group.communicator(operation, sequence, device);
        buffers->record_stream(communicator->stream());
        marks->done = communicator->enqueue(operation, marks->ready, step);
        marks->communicator = communicator;
      },
      [buffers = buffers_, device, marks, operation = operation_] {
        if (marks->done == nullptr) return;
        if (const auto communicator = marks->communicator.lock()) communicator->check(operation);
        marks->done->wait(cuda::current_stream(device));
        buffers->finish();
      });
}

Work Launch::start_on_gpu(ProcessGroup& group, std::uint64_t sequence, std::function<void()> agree,
                          nccl::Step step) const {
  const auto work =
      work_on_gpu(group, sequence, std::move(agree), buffers_->are_empty() ? nccl::Step() : std::move(step));
  group.submit(work);
  return Work(work);
}

}  // namespace lectern::distributed
