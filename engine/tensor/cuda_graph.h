#pragma once

#include <functional>
#include <memory>

#include "device/capture.h"
#include "device/counters.h"
#include "kernels/philox.h"
#include "tensor/generator.h"

namespace lectern::cuda {

/// Work on a GPU that is recorded once and enqueued again as a whole, by one call of the host: torch.cuda's
/// CUDAGraph.
///
///   CUDAGraph graph;
///   step();                          // before: libraries are loaded, optimizers have their states
///   graph.capture([&] { step(); });  // recorded, not done
///   input.copy_(next);
///   graph.replay();                  // reads input, and writes what step() wrote, at the same addresses
///
/// Each replay reads and writes the memory that was used when capturing: new inputs are copied into the
/// tensors that were read then, results are in those that were made then. What is allocated while capturing
/// belongs to the graph until reset(). Random numbers go on from where the generators are then; a generator
/// that was drawn from while capturing must outlive the graph. The host's part, such as a learning rate, is
/// not repeated: its values are those of the capture, as are those of pageable memory that is copied to the
/// GPU. Nothing may wait for the GPU while capturing, as item() and what draws by weights (multinomial) do.
///
/// Operations count their cost in a replay, not in the capture.
class CUDAGraph {
 public:
  CUDAGraph();
  ~CUDAGraph();
  CUDAGraph(CUDAGraph&&) noexcept;
  CUDAGraph& operator=(CUDAGraph&&) noexcept;

  /// Records `work` on a stream that waits for the current one, and is waited for. If it throws, nothing is
  /// recorded.
  void capture(const std::function<void()>& work);
  /// The same piece by piece, by one thread, on its current stream, which must not be the default one. A
  /// TensorError if there is a recording already, or the thread is capturing.
  void capture_begin();
  void capture_end();
  /// Enqueues the recorded work on the current stream. A TensorError if there is none.
  void replay();
  /// Waits for the device, and frees the recording; when no thread captures any more, if any does.
  void reset();

 private:
  friend kernels::PhiloxState* captured_state(Generator& generator, const kernels::PhiloxState& state);
  class Replayed;
  struct Recorded;

  std::unique_ptr<Recorded> recorded_;
};

/// The state that a generator of a GPU draws from while this thread captures, counted from where it will be
/// in a replay; nullptr while it does not.
kernels::PhiloxState* captured_state(Generator& generator, const kernels::PhiloxState& state);

}  // namespace lectern::cuda
