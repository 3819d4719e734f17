#include "tensor/cuda_graph.h"

#include <map>
#include <optional>
#include <utility>

#include "base/tensor_error.h"
#include "device/allocator.h"
#include "device/capture.h"
#include "device/context.h"
#include "device/copy.h"

namespace lectern::cuda {

using kernels::PhiloxOrigin;
using kernels::PhiloxState;

/// Where a generator is when a replay begins, in the GPU's memory, and how far it gets from there.
class CUDAGraph::Replayed {
 public:
  Replayed(const Device& device, const PhiloxState& state)
      : allocator_(allocator(device)), origin_(allocate_outside(allocator_)) {
    drawn_ = {state.seed, 0, static_cast<const PhiloxOrigin*>(origin_)};
  }
  ~Replayed() { allocator_.deallocate(origin_, sizeof(PhiloxOrigin)); }
  Replayed(const Replayed&) = delete;
  Replayed& operator=(const Replayed&) = delete;

  PhiloxState& drawn() { return drawn_; }

  /// Enqueues where the generator is, which then is past what a replay draws.
  void set_origin(Generator& generator) {
    const auto held = generator.lock();
    const PhiloxState now = generator.advance(drawn_.offset);
    const PhiloxOrigin origin{now.seed, now.offset};
    enqueue_staged_copy(origin_, &origin, sizeof origin);
  }

 private:
  static void* allocate_outside(Allocator& allocator) {
    const OutsidePool outside;
    return allocator.allocate(sizeof(PhiloxOrigin));
  }

  Allocator& allocator_;
  void* origin_;
  PhiloxState drawn_;
};

struct CUDAGraph::Recorded {
  std::map<Generator*, Replayed> generators;
  std::optional<Capture> capture;  ///< while capturing
  Recording recording;             ///< afterwards
  Counters before;                 ///< what the thread had counted when the capture began
  Counters cost;

  static constinit thread_local Recorded* open;  ///< what this thread is capturing

  /// Work that was deferred is done first, and counted.
  Recorded() : capture(std::in_place), before(counters()) { open = this; }
  ~Recorded() {
    if (capture) leave();
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  /// What was counted is of work that is not done.
  void leave() {
    open = nullptr;
    cost = counters() - before;
    count(-cost.flops, -cost.bytes);
  }
  void end() {
    recording = capture->end();  // deferred work becomes a part of it
    leave();
    capture.reset();
  }
};

constinit thread_local CUDAGraph::Recorded* CUDAGraph::Recorded::open = nullptr;

CUDAGraph::CUDAGraph() = default;
CUDAGraph::~CUDAGraph() = default;
CUDAGraph::CUDAGraph(CUDAGraph&&) noexcept = default;
CUDAGraph& CUDAGraph::operator=(CUDAGraph&&) noexcept = default;

void CUDAGraph::capture_begin() {
  if (recorded_ != nullptr) {
    throw TensorError("CUDAGraph.capture_begin", "the graph has a recording already: reset() it first");
  }
  recorded_ = std::make_unique<Recorded>();
}

void CUDAGraph::capture_end() {
  if (recorded_ == nullptr || !recorded_->capture)
    throw TensorError("CUDAGraph.capture_end", "the graph is not being captured");
  if (!recorded_->capture->is_of_this_thread())
    throw TensorError("CUDAGraph.capture_end", "another thread began to capture: that one must end it");
  try {
    recorded_->end();
  } catch (...) {
    recorded_.reset();
    throw;
  }
}

void CUDAGraph::capture(const std::function<void()>& work) {
  const Stream outer = current_stream();
  const OwnStream own(outer.device());  // what another thread gave it would be captured, too
  const Stream& side = own.get();
  side.wait_stream(outer);
  {
    const StreamGuard guard(side);
    capture_begin();
    try {
      work();
    } catch (...) {
      reset();
      throw;
    }
    capture_end();
  }
  outer.wait_stream(side);
}

void CUDAGraph::replay() {
  if (recorded_ == nullptr || recorded_->recording.is_empty())
    throw TensorError("CUDAGraph.replay", "nothing was captured");
  const StreamGuard guard(current_stream(recorded_->recording.device()));
  for (auto& [generator, replayed] : recorded_->generators) replayed.set_origin(*generator);
  recorded_->recording.launch();
  count(recorded_->cost.flops, recorded_->cost.bytes);
}

void CUDAGraph::reset() {
  if (recorded_ != nullptr && recorded_->capture && !recorded_->capture->is_of_this_thread())
    throw TensorError("CUDAGraph.reset", "another thread began to capture: that one must end it");
  recorded_.reset();
}

PhiloxState* captured_state(Generator& generator, const PhiloxState& state) {
  CUDAGraph::Recorded* const open = CUDAGraph::Recorded::open;
  if (open == nullptr) return nullptr;
  return &open->generators.try_emplace(&generator, generator.device(), state).first->second.drawn();
}

}  // namespace lectern::cuda
