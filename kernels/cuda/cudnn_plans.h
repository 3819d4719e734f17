#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/tensor_error.h"
#include "device/capture.h"
#include "kernels/cuda/cudnn_graph.h"
#include "kernels/cuda/scratch.h"

namespace lectern::kernels::cuda {

/// The plans for graphs of some kind, by what tells them apart, of all threads: shared(). Tensors has the
/// numbers of a graph's tensors.
template <typename Key, typename Tensors>
class CudnnPlans {
 public:
  struct Entry {
    Tensors tensors;
    std::shared_ptr<const CudnnPlan> plan;  ///< null: there is none
  };

  static CudnnPlans& shared() {
    static CudnnPlans& plans = *new CudnnPlans;  // never destroyed, since CUDA may go first
    return plans;
  }

  /// make(key), the first time; none if that throws a TensorError, as when a part of cuDNN is missing. None
  /// either, of what is new, while a stream is being captured: what cuDNN does to make a plan may not be
  /// allowed then.
  template <typename Make>
  Entry find(const Key& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    if (lectern::cuda::is_capturing()) return {};
    if (known_.size() >= kMostPlans) known_.clear();
    return known_.emplace(key, made(key, make)).first->second;
  }

  /// Runs the plan that find() gave on the current stream. Returns false, with nothing done, if cuDNN cannot
  /// do it after all; then there is no plan from now on.
  bool run(const Key& key, const std::shared_ptr<const CudnnPlan>& plan, const CudnnMemory& memory) {
    const Scratch workspace(static_cast<std::size_t>(plan->workspace_bytes()));
    try {
      plan->run(lectern::cuda::cudnn_handle(), memory, workspace.data());
      if (lectern::cuda::is_capturing()) keep(plan);
      return true;
    } catch (const TensorError&) {
      const std::lock_guard lock(mutex_);
      known_[key] = {};
      return false;
    }
  }

 private:
  /// If shapes never repeat, plans are dropped now and then.
  static constexpr std::size_t kMostPlans = 512;

  template <typename Make>
  static Entry made(const Key& key, const Make& make) {
    try {
      return make(key);
    } catch (const TensorError&) {
      return {};
    }
  }

  void keep(const std::shared_ptr<const CudnnPlan>& plan) {
    const std::lock_guard lock(mutex_);
    captured_.insert(plan);
  }

  std::mutex mutex_;
  std::map<Key, Entry> known_;
  /// Never dropped: a CUDA graph may have their kernels, which cuDNN unloads with a plan.
  std::set<std::shared_ptr<const CudnnPlan>> captured_;
};

}  // namespace lectern::kernels::cuda
