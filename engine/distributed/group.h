#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "distributed/mesh.h"
#include "distributed/nccl_communicator.h"
#include "distributed/pending_work.h"
#include "distributed/process_group.h"

namespace lectern::distributed {

/// Some ranks of a mesh, and the thread on which this process runs their collectives, in the order of calls.
/// The mesh is null where there is one rank.
class ProcessGroup {
 public:
  ProcessGroup(std::shared_ptr<Mesh> mesh, std::uint64_t id, std::vector<int> ranks, int global_rank,
               ProcessGroupOptions options);
  /// Completes what has begun, unless destroy_process_group() has waited for the other ranks.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  int size() const { return static_cast<int>(ranks_.size()); }
  /// In the group; -1 outside.
  int rank() const { return rank_; }
  const std::vector<int>& ranks() const { return ranks_; }
  int global(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  /// The rank in the group of a global one; -1: not a member.
  int group_rank(int global) const;
  Mesh& mesh() const { return *mesh_; }
  const std::shared_ptr<Mesh>& shared_mesh() const { return mesh_; }
  std::uint64_t id() const { return id_; }
  /// Those of init_process_group().
  const ProcessGroupOptions& options() const { return options_; }

  /// Of this group's next collective: the same on all ranks.
  std::uint64_t next_sequence() { return ++sequence_; }
  /// Of the next message from one rank to another with this tag.
  std::uint64_t next_message(int from, int to, int tag);

  void submit(std::shared_ptr<PendingWork> work);
  /// Keeps a message that has begun until it is over, also when nobody waits for it.
  void keep(std::shared_ptr<PendingWork> message);
  /// Runs what is queued, waits for what runs on GPUs, and ends the thread. Nothing may be submitted
  /// afterwards.
  void finish();
  bool is_finished() const;

  /// The ranks' GPUs, connected by the first call: on the group's thread, in a collective of CUDA tensors of
  /// that number. A TensorError when this process used another GPU before.
  std::shared_ptr<nccl::Communicator> communicator(const std::string& operation, std::uint64_t sequence,
                                                   int device);
  /// Two ranks of the group, in which messages of CUDA tensors go from the one to the other. A pair of its
  /// own for each direction: sends that wait for their receivers then hold up no other message.
  ProcessGroup& direction(int from, int to);

 private:
  void run();

  std::shared_ptr<Mesh> mesh_;
  std::uint64_t id_;
  std::vector<int> ranks_;
  ProcessGroupOptions options_;
  int rank_;
  std::uint64_t sequence_ = 0;
  struct Message {
    int from, to, tag;
    std::uint64_t count;
  };
  std::vector<Message> messages_;
  std::vector<std::shared_ptr<PendingWork>> kept_;
  std::shared_ptr<nccl::Communicator> communicator_;
  std::map<std::pair<int, int>, std::unique_ptr<ProcessGroup>> directions_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<PendingWork>> queue_;
  bool is_ending_ = false;
  std::thread thread_;
};

/// The group, or for null that of all ranks. TensorErrors: there is no process group, or this process is not
/// in that one.
ProcessGroup& member_group(std::string_view operation, const Group& group);

}  // namespace lectern::distributed
