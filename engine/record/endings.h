#pragma once

namespace lectern::probe {

/// Installs handlers for the ways in which this process may end: exit, an uncaught exception, signals. Each
/// notes the cause in the run block and completes what is known of the open step; the supervisor writes the
/// rest. Forked children stop recording.
void watch_endings();

}  // namespace lectern::probe
