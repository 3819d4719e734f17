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

  /// Enqueues a kernel, by its number, for so many groups of `threads` threads, a multiple of 32 up to 512,
  /// on the current stream. The kernel is a struct of `fields`, of 8 bytes each.
  virtual void launch(std::size_t kernel, int threads, std::int64_t groups,
                      std::span<const std::uint64_t> fields) const = 0;
};

/// Whether there is a compiler for the current device: NVRTC, loaded by whoever asks first, and of an age to
/// know that GPU.
bool compiles_at_run_time();

/// Compiles source, which begins by including LECTERN_RUNTIME_ENTRY_HEADER and enters these kernels with
/// LECTERN_RUNTIME_KERNEL, for the current device. Takes a tenth of a second, of long sources a second. A
/// TensorError with what the compiler says if it fails.
std::unique_ptr<RuntimeProgram> make_runtime_program(const std::string& source,
                                                     std::span<const char* const> kernels);

// NVRTC itself, where nvcc compiled the rest; neither needs a GPU or a driver.

bool has_nvrtc();
/// The machine code for a GPU of that compute capability, such as 90.
std::string compile_to_cubin(const std::string& source, int capability);

}  // namespace lectern::kernels::cuda
