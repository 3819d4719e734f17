#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lectern {

/// Numbers for call stacks: equal ones get the same number.
class StackTable {
 public:
  struct Stack {
    int parent, call, function, name;
    bool operator==(const Stack&) const = default;
  };
  struct Interned {
    int number;
    bool fresh;
  };

  Interned intern(const Stack& stack) {
    if (2 * (stacks_.size() + 1) > slots_.size()) grow();
    int& slot = find(stack);
    if (slot >= 0) return {slot, false};
    slot = static_cast<int>(stacks_.size());
    stacks_.push_back(stack);
    return {slot, true};
  }

 private:
  static std::size_t hash(const Stack& stack) {
    std::uint64_t h = static_cast<std::uint32_t>(stack.parent);
    for (const int part : {stack.call, stack.function, stack.name}) {
      h = (h ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15u;
      h ^= h >> 29;
    }
    return h;
  }

  // The slot that holds the stack, or the free one where it belongs.
  int& find(const Stack& stack) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash(stack) & mask;
    while (slots_[i] >= 0 && !(stacks_[static_cast<std::size_t>(slots_[i])] == stack)) i = (i + 1) & mask;
    return slots_[i];
  }

  void grow() {
    slots_.assign(slots_.empty() ? 256 : 2 * slots_.size(), -1);
    for (std::size_t i = 0; i < stacks_.size(); ++i) find(stacks_[i]) = static_cast<int>(i);
  }

  std::vector<Stack> stacks_;
  std::vector<int> slots_;  // numbers of stacks by hash, -1 for free
};

}  // namespace lectern
