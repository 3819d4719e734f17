#include "kernels/cuda/runtime_program.h"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <dlfcn.h>

#include "base/temporary_folder.h"
#include "base/tensor_error.h"
#include "kernels/cuda/grid.h"
#include "simulated_gpu/fibers.h"
#include "simulated_gpu/launch.h"

// Kernels that are compiled at run time, by the host's compiler instead of NVRTC.

namespace lectern::kernels::cuda {
namespace {

using Entry = void(const void* fields, std::int64_t index, int rank, void (*meet)());

class HostProgram final : public RuntimeProgram {
 public:
  HostProgram(void* library, std::span<const char* const> kernels) {
    for (const char* const kernel : kernels) {
      if (kernels_.emplace_back(reinterpret_cast<Entry*>(dlsym(library, kernel))) == nullptr)
        throw TensorError("compile", std::string("the source has no kernel ") + kernel);
    }
  }

  void launch(std::size_t kernel, int threads, std::int64_t groups,
              std::span<const std::uint64_t> fields) const override {
    cuda::launch(
        [entry = kernels_[kernel], threads, groups, kept = std::vector(fields.begin(), fields.end())] {
          for (std::int64_t i = 0; i < groups; ++i)
            test::run_side_by_side(threads, [&](int rank) { entry(kept.data(), i, rank, &test::meet); });
        });
  }

 private:
  std::vector<Entry*> kernels_;  ///< of a library that stays loaded, as a GPU's do
};

}  // namespace

bool compiles_at_run_time() {
  return true;
}

std::unique_ptr<RuntimeProgram> make_runtime_program(const std::string& source,
                                                     std::span<const char* const> kernels) {
  const TemporaryFolder folder("kernel");
  const std::string text = folder.path() / "fused.cpp", library = folder.path() / "fused.so";
  std::ofstream(text) << source;
  const std::string root = LECTERN_SOURCES;
  const auto quoted = [](const std::string& path) { return "'" + path + "'"; };
  const std::string command =
      quoted(LECTERN_COMPILER) + " -std=c++20 -O1 -shared -fPIC -ffp-contract=off -fno-math-errno -I" +
      quoted(root) + " -I" + quoted(root + "/engine") + " -I" + quoted(root + "/tests") +
      " -DLECTERN_RUNTIME_ENTRY_HEADER='\"simulated_gpu/runtime_entry.h\"' " + quoted(text) + " -o " +
      quoted(library);
  if (std::system(command.c_str()) != 0) throw TensorError("compile", "the compiler refused\n" + source);
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw TensorError("compile", dlerror());
  return std::make_unique<HostProgram>(loaded, kernels);
}

}  // namespace lectern::kernels::cuda
