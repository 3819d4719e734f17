#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "base/error.h"
#include "base/shared_library.h"
#include "base/tensor_error.h"
#include "device/cuda_driver.h"
#include "device/toolkit_libraries.h"
#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/runtime_headers.h"
#include "kernels/cuda/runtime_program.h"

namespace lectern::kernels::cuda {

#if CUDART_VERSION >= 12080  // which has libraries of kernels
namespace {

constexpr const char* kCompile = "compile";

/// NVRTC's functions, as nvrtc.h declares them, which need not be there.
struct Nvrtc {
  using Program = void*;
  int (*CreateProgram)(Program*, const char* source, const char* name, int headers,
                       const char* const* header_texts, const char* const* header_names);
  int (*DestroyProgram)(Program*);
  int (*CompileProgram)(Program, int options, const char* const* texts);
  int (*GetCUBINSize)(Program, std::size_t*);
  int (*GetCUBIN)(Program, char*);
  int (*GetProgramLogSize)(Program, std::size_t*);
  int (*GetProgramLog)(Program, char*);
  const char* (*GetErrorString)(int);
};

Nvrtc load_nvrtc(const std::vector<std::string>& candidates) {
  const SharedLibrary library(candidates);
  Nvrtc found{};
  library.find(found.CreateProgram, "nvrtcCreateProgram");
  library.find(found.DestroyProgram, "nvrtcDestroyProgram");
  library.find(found.CompileProgram, "nvrtcCompileProgram");
  library.find(found.GetCUBINSize, "nvrtcGetCUBINSize");
  library.find(found.GetCUBIN, "nvrtcGetCUBIN");
  library.find(found.GetProgramLogSize, "nvrtcGetProgramLogSize");
  library.find(found.GetProgramLog, "nvrtcGetProgramLog");
  library.find(found.GetErrorString, "nvrtcGetErrorString");
  return found;
}

/// Null where it cannot be loaded. Of the runtime's major version, so that the driver takes what it makes.
const Nvrtc* nvrtc() {
  static const Nvrtc* const loaded = []() -> const Nvrtc* {
    try {
      const std::string name = "libnvrtc.so." + std::to_string(CUDART_VERSION / 1000);
      return new Nvrtc(load_nvrtc(lectern::cuda::toolkit_libraries({name})));
    } catch (const Error&) {
      return nullptr;
    }
  }();
  return loaded;
}

/// A program of NVRTC's while it is compiled.
class Compilation {
 public:
  explicit Compilation(const std::string& source) {
    std::vector<const char*> names, texts;
    for (const RuntimeHeader& header : runtime_headers()) {
      names.push_back(header.name);
      texts.push_back(header.text);
    }
    check(nvrtc()->CreateProgram(&program_, source.c_str(), "fused.cu", static_cast<int>(names.size()),
                                 texts.data(), names.data()));
  }
  ~Compilation() { nvrtc()->DestroyProgram(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  std::string cubin(int capability) const {
    const std::string architecture = "-arch=sm_" + std::to_string(capability);
    // No multiplication is fused with an addition: the bits of separate operations.
    const char* const options[] = {architecture.c_str(), "-std=c++20", "-fmad=false",
                                   "--device-as-default-execution-space",
                                   "-DLECTERN_RUNTIME_ENTRY_HEADER=\"kernels/cuda/nvrtc_entry.h\""};
    if (nvrtc()->CompileProgram(program_, static_cast<int>(std::size(options)), options) != 0)
      throw TensorError(kCompile, "NVRTC: " + log());
    std::size_t bytes = 0;
    check(nvrtc()->GetCUBINSize(program_, &bytes));
    std::string code(bytes, '\0');
    check(nvrtc()->GetCUBIN(program_, code.data()));
    return code;
  }

 private:
  static void check(int status) {
    if (status != 0)
      throw TensorError(kCompile, std::string("NVRTC: ").append(nvrtc()->GetErrorString(status)));
  }
  std::string log() const {
    std::size_t bytes = 0;
    nvrtc()->GetProgramLogSize(program_, &bytes);
    std::string text(bytes, '\0');
    nvrtc()->GetProgramLog(program_, text.data());
    return text;
  }

  Nvrtc::Program program_ = nullptr;
};

void check_status(cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // or it would be taken for that of the next operation
  lectern::cuda::check_status(kCompile, cudaGetErrorString(status));
}

/// Never unloaded: a CUDA graph may have its kernels.
class NvrtcProgram final : public RuntimeProgram {
 public:
  NvrtcProgram(const std::string& cubin, std::span<const char* const> kernels) {
    cudaLibrary_t library = nullptr;
    check_status(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    for (const char* const kernel : kernels)
      check_status(cudaLibraryGetKernel(&kernels_.emplace_back(), library, kernel));
  }

  void launch(std::size_t kernel, int threads, std::int64_t groups,
              std::span<const std::uint64_t> fields) const override {
    if (groups == 0) return;
    const int block = threads_of_block(threads);
    const std::int64_t blocks = blocks_for(groups, block / threads);
    void* arguments[] = {const_cast<std::uint64_t*>(fields.data()), &groups};
    check_status(cudaLaunchKernel(reinterpret_cast<const void*>(kernels_[kernel]),
                                  static_cast<unsigned>(blocks), static_cast<unsigned>(block), arguments, 0,
                                  lectern::cuda::current_stream_handle()));
  }

 private:
  std::vector<cudaKernel_t> kernels_;
};

}  // namespace

bool has_nvrtc() {
  return nvrtc() != nullptr;
}

bool compiles_at_run_time() {
  if (!has_nvrtc()) return false;
  static std::mutex mutex;
  static std::map<int, bool> known;
  const lectern::cuda::DeviceProperties& gpu = current_gpu();
  const int capability = 10 * gpu.major + gpu.minor;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(capability, false);
  if (is_new) {
    try {
      entry->second = !compile_to_cubin("extern \"C\" __global__ void nothing() {}", capability).empty();
    } catch (const TensorError&) {  // a GPU that is newer than the library
    }
  }
  return entry->second;
}

std::string compile_to_cubin(const std::string& source, int capability) {
  return Compilation(source).cubin(capability);
}

std::unique_ptr<RuntimeProgram> make_runtime_program(const std::string& source,
                                                     std::span<const char* const> kernels) {
  const lectern::cuda::DeviceProperties& gpu = current_gpu();
  return std::make_unique<NvrtcProgram>(compile_to_cubin(source, 10 * gpu.major + gpu.minor), kernels);
}

#else

bool has_nvrtc() {
  return false;
}

bool compiles_at_run_time() {
  return false;
}

std::string compile_to_cubin(const std::string&, int) {
  return {};
}

std::unique_ptr<RuntimeProgram> make_runtime_program(const std::string&, std::span<const char* const>) {
  throw TensorError("compile", "kernels are compiled at run time by builds with CUDA 12.8 or later");
}

#endif

}  // namespace lectern::kernels::cuda
