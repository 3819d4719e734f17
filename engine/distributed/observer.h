#pragma once

#include <cstdint>
#include <string_view>

// For whoever wants to know of each collective, without the stack knowing of it: a lecture's recorder.

namespace lectern::distributed {

/// A collective, or a send or recv, that begins.
struct CollectiveCall {
  std::string_view name;                ///< "all_reduce"
  std::uint64_t group = 0;              ///< the same number on all its ranks; 0: of all processes
  std::uint64_t sequence = 0;           ///< the same for all who take part
  std::int64_t sent = 0, received = 0;  ///< bytes, of this rank (device/communication.h)
  int from = -1, to = -1, tag = 0;      ///< of send and recv: ranks in the group
};

/// Called on the thread of the caller, before it waits; null: by nobody.
using CollectiveObserver = void (*)(const CollectiveCall& call);
inline constinit CollectiveObserver collective_observer = nullptr;

inline void notify_observer(const CollectiveCall& call) {
  if (collective_observer != nullptr) collective_observer(call);
}

}  // namespace lectern::distributed
