#pragma once

namespace lectern::probe {

/// Called first by _exit and _Exit, which replace the C library's: those tell nobody. May be called in a
/// signal handler. Null where nothing is recorded.
using ExitObserver = void (*)();
extern ExitObserver on_immediate_exit;

}  // namespace lectern::probe
