#pragma once

namespace lectern::probe {

/// Watches for the ways in which this process may end: exit, an uncaught exception, signals. Each is noted in
/// the run block, with what the open step knows; the supervisor writes the rest. Forked children are let go.
void watch_endings();

}  // namespace lectern::probe
