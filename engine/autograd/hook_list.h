#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lectern::autograd {

/// Hooks in registration order, which can be removed by what add() returned.
template <typename Hook>
class HookList {
 public:
  std::uint64_t add(Hook hook) {
    hooks_.emplace_back(next_, std::move(hook));
    return next_++;
  }
  /// How many it removed.
  std::size_t remove(std::uint64_t id) {
    return std::erase_if(hooks_, [id](const auto& hook) { return hook.first == id; });
  }
  bool empty() const { return hooks_.empty(); }
  std::size_t size() const { return hooks_.size(); }
  /// call(hook) for each of those registered now, one of which may remove itself.
  template <typename Call>
  void for_each(const Call& call) const {
    if (hooks_.empty()) return;
    const auto hooks = hooks_;
    for (const auto& [id, hook] : hooks) call(hook);
  }

 private:
  std::vector<std::pair<std::uint64_t, Hook>> hooks_;
  std::uint64_t next_ = 1;
};

/// Removes a hook on request. Destroying the handle does not.
class RemovableHandle {
 public:
  /// Calls remove(owner) if the owner is still there.
  template <typename Owner, typename Remove>
  RemovableHandle(const std::shared_ptr<Owner>& owner, Remove remove)
      : remove_([weak = std::weak_ptr(owner), remove = std::move(remove)] {
          if (const auto shared = weak.lock()) remove(*shared);
        }) {}

  void remove() const { remove_(); }

 private:
  std::function<void()> remove_;
};

}  // namespace lectern::autograd
