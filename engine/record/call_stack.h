#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace lectern {

/// A call stack: a function on top of its caller's stack, called from a site there. Numbers of the trace; -1
/// for none.
struct CallStack {
  int parent, call_site, function, name;
  bool operator==(const CallStack&) const = default;
};

struct CallStackHash {
  std::size_t operator()(const CallStack& stack) const noexcept {
    std::uint64_t hash = static_cast<std::uint32_t>(stack.parent);
    for (const int part : {stack.call_site, stack.function, stack.name}) {
      hash = (hash ^ static_cast<std::uint32_t>(part)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

/// The numbers of interned call stacks, in the order of first use.
using CallStackTable = std::unordered_map<CallStack, int, CallStackHash>;

}  // namespace lectern
