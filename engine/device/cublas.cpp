#include "device/cublas.h"

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

#include "base/tensor_error.h"
#include "device/context.h"
#include "device/shared_library.h"

namespace lectern::cuda {
namespace {

/// Declared by hand in Cublas, since these have overloads: a mismatch with the toolkit's header does not
/// compile.
using DeclaredGemmEx = decltype(static_cast<decltype(Cublas::GemmEx)>(&::cublasGemmEx));
using DeclaredStridedEx =
    decltype(static_cast<decltype(Cublas::GemmStridedBatchedEx)>(&::cublasGemmStridedBatchedEx));

/// By the loader's own paths, then where toolkits are. The major version that the program was built with
/// first.
std::vector<std::string> candidates() {
  static_assert(CUBLAS_VER_MAJOR >= 12, "cuBLAS 12 or later");
  std::vector<std::string> names{"libcublas.so." + std::to_string(CUBLAS_VER_MAJOR)};
  for (const char* other : {"libcublas.so.13", "libcublas.so.12"}) {
    if (other != names.front()) names.emplace_back(other);
  }
  std::vector<std::string> paths = names;
  for (const char* home : std::initializer_list<const char*>{std::getenv("CUDA_HOME"),
                                                             std::getenv("CUDA_PATH"), "/usr/local/cuda"}) {
    if (home == nullptr || *home == '\0') continue;
    for (const std::string& name : names) paths.push_back(std::string(home) + "/lib64/" + name);
  }
  return paths;
}

}  // namespace

Cublas load_cublas(const std::vector<std::string>& candidates) {
  try {
    const SharedLibrary library(candidates);
    Cublas found{};
    library.find(found.Create, "cublasCreate_v2");
    library.find(found.GetVersion, "cublasGetVersion_v2");
    library.find(found.GetStatusString, "cublasGetStatusString");
    library.find(found.SetStream, "cublasSetStream_v2");
    library.find(found.SetMathMode, "cublasSetMathMode");
    library.find(found.GemmEx, "cublasGemmEx");
    library.find(found.GemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
    return found;
  } catch (const Error& error) {
    throw TensorError(
        "cuBLAS",
        "matrix products on the GPU need the library libcublas of CUDA 12 or 13, which cannot be loaded; "
        "install the CUDA toolkit (of NVIDIA's packages libcublas is enough), or add the folder that has "
        "it to LD_LIBRARY_PATH (" +
            std::string(error.what()) + ")");
  }
}

namespace {

/// Handles of threads that have ended, by device; never destroyed, since CUDA may be gone before.
struct Spare {
  std::mutex mutex;
  std::array<std::vector<cublasHandle_t>, Context::kMaxDevices> handles;
};
Spare& spare() {
  static Spare& handles = *new Spare;
  return handles;
}

class ThreadHandles {
 public:
  ~ThreadHandles() {
    const std::lock_guard lock(spare().mutex);
    for (std::size_t device = 0; device < handles_.size(); ++device) {
      if (handles_[device] != nullptr) spare().handles[device].push_back(handles_[device]);
    }
  }

  cublasHandle_t of(std::size_t device) {
    cublasHandle_t& handle = handles_[device];
    if (handle == nullptr) handle = reuse(device);
    if (handle == nullptr) must("cublasCreate", cublas().Create(&handle));
    return handle;
  }

 private:
  static cublasHandle_t reuse(std::size_t device) {
    const std::lock_guard lock(spare().mutex);
    auto& handles = spare().handles[device];
    if (handles.empty()) return nullptr;
    cublasHandle_t handle = handles.back();
    handles.pop_back();
    return handle;
  }

  std::array<cublasHandle_t, Context::kMaxDevices> handles_{};
};

}  // namespace

const Cublas& cublas() {
  static const Cublas loaded = load_cublas(candidates());
  return loaded;
}

cublasHandle_t cublas_handle(const Stream& stream) {
  thread_local ThreadHandles handles;
  const DeviceGuard guard(stream.device());
  cublasHandle_t handle = handles.of(static_cast<std::size_t>(stream.device()));
  must("cublasSetStream", cublas().SetStream(handle, stream.handle()));
  return handle;
}

void must(std::string_view operation, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw TensorError(operation, std::string("cuBLAS: ").append(cublas().GetStatusString(status)));
  }
}

}  // namespace lectern::cuda
