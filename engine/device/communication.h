#pragma once

#include <cstdint>

// What collectives move between processes (distributed/collectives.h), by formulas of shapes, dtypes and the
// number of ranks alone: payloads, not the headers of messages.

namespace lectern {

/// Between this process and others.
struct CommunicationCounters {
  std::int64_t calls = 0;     ///< of collectives, and of send and recv
  std::int64_t sent = 0;      ///< bytes
  std::int64_t received = 0;  ///< bytes

  friend constexpr CommunicationCounters operator-(CommunicationCounters a, CommunicationCounters b) {
    return {a.calls - b.calls, a.sent - b.sent, a.received - b.received};
  }
  friend constexpr bool operator==(CommunicationCounters, CommunicationCounters) = default;
};

namespace detail {
inline constinit thread_local CommunicationCounters communication_counters;
}

/// Called by every collective.
inline void count_communication(std::int64_t sent, std::int64_t received) {
  CommunicationCounters& counters = detail::communication_counters;
  ++counters.calls;
  counters.sent += sent;
  counters.received += received;
}

/// What the collectives called by this thread have moved since it began: counted when they are called, also
/// those that run asynchronously.
inline CommunicationCounters communication_counters() {
  return detail::communication_counters;
}

}  // namespace lectern
