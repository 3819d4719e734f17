#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace lectern::einops {

/// Plans by key. Thread safe. When it is full, all plans are dropped; holders keep theirs.
template <typename Plan>
class PlanCache {
 public:
  /// The plan for that key, made by make() on first use. If make() throws, nothing is cached.
  template <typename Make>
  std::shared_ptr<const Plan> get(const std::string& key, const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = plans_.find(key); found != plans_.end()) return found->second;
    }
    auto plan = std::make_shared<const Plan>(make());
    const std::lock_guard lock(mutex_);
    if (plans_.size() >= kMost) plans_.clear();
    return plans_.insert_or_assign(key, std::move(plan)).first->second;
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

  static constexpr std::size_t kMost = 1024;

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const Plan>> plans_;
};

}  // namespace lectern::einops
