#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace lectern::kernels::cuda {

/// Kernels made from source at run time.
class RuntimeProgram {
 public:
  RuntimeProgram() = default;
  virtual ~RuntimeProgram() = default;
  RuntimeProgram(const RuntimeProgram&) = delete;
  RuntimeProgram& operator=(const RuntimeProgram&) = delete;

  /// Enqueues a kernel, by its number, for so many groups of `threads` threads, 32 or kBlockThreads, on the
  /// current stream. The kernel is a struct of `fields`, of 8 bytes each.
  virtual void launch(std::size_t kernel, int threads, std::int64_t groups,
                      std::span<const std::uint64_t> fields) const = 0;
};

/// Whether there is a compiler: NVRTC, loaded by whoever asks first.
bool compiles_at_run_time();

/// Compiles source, which begins by including LECTERN_RUNTIME_ENTRY_HEADER and enters these kernels with
/// LECTERN_RUNTIME_KERNEL, for the current device. Takes about a tenth of a second. A TensorError with what
/// the compiler says if it fails.
std::unique_ptr<RuntimeProgram> make_runtime_program(const std::string& source,
                                                     std::span<const char* const> kernels);

/// The machine code, for a GPU of that compute capability, such as 90; takes neither a GPU nor a driver. Only
/// where nvcc compiled the rest.
std::string compile_to_cubin(const std::string& source, int capability);

}  // namespace lectern::kernels::cuda
