#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

// Several processes that compute together, as torch.distributed: each has a rank, from 0, and they
// communicate by collectives (distributed/collectives.h): of tensors on the CPU over Gloo and TCP, of those
// on GPUs over NCCL, a GPU for each process. Every wrong argument, and every lost rank, is a TensorError.
//
//   distributed::init_process_group({.init_method = "tcp://127.0.0.1:29500", .rank = rank, .world_size = 2});
//   distributed::all_reduce(gradient);
//   distributed::destroy_process_group();
//
// Ranks that fail. When a process ends, however it does, the others throw as soon as they wait for it; when
// it hangs, after `timeout`. The message names the lost rank, the same one on all ranks. A collective of CUDA
// tensors is aborted then, and the error comes with whatever waits for the GPU next. After that the process
// group can only be destroyed. A process that ends because of such an error, or of any other, should
// leave without destroy_process_group, which would wait for the others first.
//
// The init functions start threads; a process must not fork afterwards.

namespace lectern::distributed {

class ProcessGroup;
/// Some of the ranks; null, as an argument, for all of them, and as a result of new_group() for a process
/// that is not in the group.
using Group = std::shared_ptr<ProcessGroup>;

/// What `lectern run` tells a lecture of several processes, in its environment, besides $RANK and
/// $WORLD_SIZE: the folder where they meet, in place of an address, and the default of `timeout`, in seconds.
inline constexpr const char* kRendezvousVariable = "LECTERN_RENDEZVOUS";
inline constexpr const char* kTimeoutVariable = "LECTERN_COLLECTIVE_TIMEOUT";

/// Half an hour, unless the environment says otherwise.
std::chrono::milliseconds default_timeout();

struct ProcessGroupOptions {
  /// What carries tensors: "cpu:gloo,cuda:nccl", the same as none; "nccl" fails at once where NCCL or a GPU
  /// is missing, instead of with the first CUDA tensor; "gloo" refuses CUDA tensors. In all of them the ranks
  /// agree on what they do over Gloo, and tensors on the CPU go that way.
  std::string backend = {};
  /// How the processes find each other, on one machine:
  ///   "file:///tmp/run" a folder, that is made, and removed when all have met: it must be a new one;
  ///   "tcp://127.0.0.1:29500" a free port, at which rank 0 listens until all have met;
  ///   "env://" as the environment says: in the folder $LECTERN_RENDEZVOUS, which `lectern run` sets, else at
  ///   $MASTER_ADDR:$MASTER_PORT; missing ranks and sizes are $RANK and $WORLD_SIZE.
  std::string init_method = "env://";
  int rank = -1;
  int world_size = -1;
  /// Of meeting, and of each wait for another rank.
  std::chrono::milliseconds timeout = default_timeout();
};

/// Connects this process with the others. A TensorError that says what is wrong: a rank that is taken, a
/// world size that is another on another rank, an address in use, ranks that are still missing after the
/// timeout.
void init_process_group(const ProcessGroupOptions& options = {});
bool is_initialized();
/// To be called by all processes at about the same time: waits up to ten seconds for the others to call it,
/// so that what they are still receiving arrives.
void destroy_process_group();

/// The group of these ranks, which are then numbered from 0 in this order. All processes must call it, with
/// the same ranks and in the same order, also those that are not in the group. A TensorError for a rank that
/// is not there, or twice, and when another process asks for other ranks. The end of its last handle waits
/// for what was begun in it.
Group new_group(const std::vector<int>& ranks);

/// "gloo", "nccl" or "cpu:gloo,cuda:nccl".
std::string get_backend(const Group& group = nullptr);
/// Whether the library is there (distributed/nccl_library.h): torch.distributed.is_nccl_available().
bool is_nccl_available();

/// -1 outside of the group.
int get_rank(const Group& group = nullptr);
int get_world_size(const Group& group = nullptr);
/// Between the rank in a group and the global one. A TensorError for a rank that is not there.
int get_global_rank(const Group& group, int group_rank);
int get_group_rank(const Group& group, int global_rank);
/// The global ranks of its members.
std::vector<int> get_process_group_ranks(const Group& group = nullptr);

}  // namespace lectern::distributed
