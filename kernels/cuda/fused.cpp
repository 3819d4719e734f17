#include "kernels/fused.h"

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "device/cuda.h"
#include "kernels/cuda/current_gpu.h"
#include "kernels/cuda/elements.h"
#include "kernels/cuda/fused_source.h"
#include "kernels/cuda/runtime_program.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {
namespace {

/// Programs by their source and the GPU's compute capability. They are kept: a CUDA graph may have their
/// kernels.
class Programs {
 public:
  static Programs& shared() {
    static Programs& programs = *new Programs;  // never destroyed, since CUDA may go first
    return programs;
  }

  bool are_many() const {
    const std::lock_guard lock(mutex_);
    return known_.size() >= kMost;
  }
  const RuntimeProgram& find(const FusedSource& source) {
    const lectern::cuda::DeviceProperties& gpu = current_gpu();
    const std::lock_guard lock(mutex_);
    std::unique_ptr<RuntimeProgram>& program = known_[{10 * gpu.major + gpu.minor, source.text}];
    if (program == nullptr) {
      constexpr std::array kKernels{"Program", "Merge"};
      program = make_runtime_program(source.text, std::span(kKernels).first(source.merge.groups > 0 ? 2 : 1));
    }
    return *program;
  }

 private:
  /// Of shapes that never repeat there is no end.
  static constexpr std::size_t kMost = 4096;

  mutable std::mutex mutex_;
  std::map<std::pair<int, std::string>, std::unique_ptr<RuntimeProgram>> known_;
};

/// A source and what was compiled from it.
class CompiledSource {
 public:
  CompiledSource(const FusedProgram& program, int pack)
      : source_(write_fused_source(program, pack)), program_(Programs::shared().find(source_)) {}

  /// `fields` but for the workspace, which comes last.
  void run(std::vector<std::uint64_t> fields) const {
    const Scratch workspace(source_.state_bytes);
    fields.push_back(reinterpret_cast<std::uint64_t>(workspace.data()));
    program_.launch(0, source_.program.threads, source_.program.groups, fields);
    if (source_.merge.groups > 0) program_.launch(1, source_.merge.threads, source_.merge.groups, fields);
  }

 private:
  FusedSource source_;
  const RuntimeProgram& program_;
};

class FusedKernelOnCuda final : public FusedKernel {
 public:
  explicit FusedKernelOnCuda(const FusedProgram& program)
      : program_(program), pack_(fused_pack(program)), packed_(program, pack_) {
    for (const FusedInput& input : program.inputs)
      is_packed_.push_back(!input.per_row && is_packed_geometry(gather_geometry(input), input.dtype));
  }

  void run(std::span<const void* const> inputs, std::span<const FusedNumber> numbers,
           std::span<void* const> outputs) const override {
    std::vector<std::uint64_t> fields;
    for (const void* const input : inputs) fields.push_back(reinterpret_cast<std::uint64_t>(input));
    for (const FusedNumber& number : numbers) {
      std::uint64_t& bytes = fields.emplace_back();
      std::memcpy(&bytes, number.data(), sizeof bytes);
    }
    for (void* const output : outputs) fields.push_back(reinterpret_cast<std::uint64_t>(output));
    if (are_aligned(inputs, outputs)) return packed_.run(std::move(fields));
    single().run(std::move(fields));
  }

 private:
  bool are_aligned(std::span<const void* const> inputs, std::span<void* const> outputs) const {
    const auto is_aligned_pack = [this](const void* data, Dtype dtype) {
      return is_aligned(data, static_cast<std::size_t>(pack_ * element_size(dtype)));
    };
    bool are = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      are = are && (!is_packed_[i] || is_aligned_pack(inputs[i], program_.inputs[i].dtype));
    }
    for (const FusedStep& step : program_.steps) {
      if (step.output < 0 || step.shape != FusedShape::full) continue;
      are = are && is_aligned_pack(outputs[static_cast<std::size_t>(step.output)], step.operation.result);
    }
    return are;
  }
  const CompiledSource& single() const {
    const std::lock_guard lock(mutex_);
    if (single_ == nullptr) single_ = std::make_unique<CompiledSource>(program_, 1);
    return *single_;
  }

  FusedProgram program_;
  std::vector<bool> is_packed_;  ///< by input
  int pack_;
  CompiledSource packed_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<CompiledSource> single_;  ///< for arrays that are not aligned
};

}  // namespace

bool has_fused() {
  return compiles_at_run_time() && !Programs::shared().are_many();
}

std::unique_ptr<FusedKernel> make_fused(const FusedProgram& program) {
  return std::make_unique<FusedKernelOnCuda>(program);
}

}  // namespace lectern::kernels::cuda
