#include "distributed/nccl_library.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/shared_library.h"
#include "base/tensor_error.h"
#include "device/toolkit_libraries.h"

namespace lectern::nccl {
namespace {

constexpr int kOldest = 21400;  // communicators that do not block

std::string version_text(int version) {
  const int major = version < 10000 ? 1000 : 10000;  // as of 2.9 the minor version has two digits
  return fmt::format("{}.{}.{}", version / major, version % major / 100, version % 100);
}

void check_version(const Library& found, const std::string& name) {
  int version = 0;
  if (found.GetVersion(&version) != Result::success)
    throw Error(fmt::format("{} does not tell its version", name));
  if (version < kOldest)
    throw Error(fmt::format("{} is NCCL {}, and 2.14 or later is needed", name, version_text(version)));
}

/// Throws Error with the reason.
Library loaded_from(const std::vector<std::string>& candidates) {
  const SharedLibrary file(candidates);
  Library found{};
  file.find(found.GetVersion, "ncclGetVersion");
  check_version(found, file.name());
#define LECTERN_FUNCTION(name) file.find(found.name, "nccl" #name)
  LECTERN_FUNCTION(GetErrorString);
  LECTERN_FUNCTION(GetLastError);
  LECTERN_FUNCTION(GetUniqueId);
  LECTERN_FUNCTION(CommInitRankConfig);
  LECTERN_FUNCTION(CommGetAsyncError);
  LECTERN_FUNCTION(CommDestroy);
  LECTERN_FUNCTION(CommAbort);
  LECTERN_FUNCTION(GroupStart);
  LECTERN_FUNCTION(GroupEnd);
  LECTERN_FUNCTION(AllReduce);
  LECTERN_FUNCTION(Reduce);
  LECTERN_FUNCTION(ReduceScatter);
  LECTERN_FUNCTION(Broadcast);
  LECTERN_FUNCTION(AllGather);
  LECTERN_FUNCTION(Send);
  LECTERN_FUNCTION(Recv);
#undef LECTERN_FUNCTION
  return found;
}

}  // namespace

Library load(std::string_view operation, const std::vector<std::string>& candidates) {
  try {
    return loaded_from(candidates);
  } catch (const Error& error) {
    throw TensorError(
        operation,
        fmt::format("CUDA tensors of several processes need the library NCCL, 2.14 or later, which cannot be "
                    "loaded; install it (NVIDIA's package libnccl2), add the folder that has it to "
                    "LD_LIBRARY_PATH, or copy the tensors to the CPU ({})",
                    error.what()));
  }
}

const Library& library(std::string_view operation) {
  static const Library loaded = load(operation, cuda::toolkit_libraries({"libnccl.so.2"}));
  return loaded;
}

}  // namespace lectern::nccl
