#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "device/stream_handle.h"

struct ncclComm;

/// NCCL 2, loaded by the first collective of CUDA tensors. Its header is not needed to build: what is used of
/// it is declared here, with the values that are part of NCCL's binary interface.
namespace lectern::nccl {

using Comm = ncclComm*;  ///< ncclComm_t

/// ncclUniqueId: what the ranks of a communicator find each other by.
struct UniqueId {
  char internal[128];
};

/// ncclResult_t, of which the errors have texts only.
enum class Result : int { success = 0, in_progress = 7 };

/// ncclDataType_t
enum class Type : int {
  int8 = 0,
  uint8 = 1,
  int32 = 2,
  int64 = 4,
  float16 = 6,
  float32 = 7,
  float64 = 8,
  bfloat16 = 9
};

/// ncclRedOp_t
enum class Op : int { sum = 0, product = 1, max = 2, min = 3, avg = 4 };

/// ncclConfig_t as of NCCL 2.14, which later versions take as well.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned int magic = 0xcafebeef;
  unsigned int version = 21400;
  int blocking = 0;
};

/// NCCL's functions by their names without "nccl".
struct Library {
  Result (*GetVersion)(int* version);
  const char* (*GetErrorString)(Result);
  const char* (*GetLastError)(Comm);
  Result (*GetUniqueId)(UniqueId*);
  Result (*CommInitRankConfig)(Comm*, int ranks, UniqueId, int rank, Config*);
  Result (*CommGetAsyncError)(Comm, Result*);
  Result (*CommDestroy)(Comm);
  Result (*CommAbort)(Comm);
  Result (*GroupStart)();
  Result (*GroupEnd)();
  Result (*AllReduce)(const void* sent, void* received, std::size_t count, Type, Op, Comm,
                      cuda::StreamHandle);
  Result (*Reduce)(const void* sent, void* received, std::size_t count, Type, Op, int root, Comm,
                   cuda::StreamHandle);
  Result (*ReduceScatter)(const void* sent, void* received, std::size_t received_count, Type, Op, Comm,
                          cuda::StreamHandle);
  Result (*Broadcast)(const void* sent, void* received, std::size_t count, Type, int root, Comm,
                      cuda::StreamHandle);
  Result (*AllGather)(const void* sent, void* received, std::size_t sent_count, Type, Comm,
                      cuda::StreamHandle);
  Result (*Send)(const void* sent, std::size_t count, Type, int peer, Comm, cuda::StreamHandle);
  Result (*Recv)(void* received, std::size_t count, Type, int peer, Comm, cuda::StreamHandle);
};

/// Throws TensorError of `operation` saying what to install if the library is missing or too old.
const Library& library(std::string_view operation);
/// From the first of these files that loads. Errors as those of library().
Library load(std::string_view operation, const std::vector<std::string>& candidates);

}  // namespace lectern::nccl
