#pragma once

#include <functional>

namespace lectern::test {

/// Runs body(0) … body(count - 1) side by side on this thread: each goes on until it calls meet() or ends,
/// then the next one does. Aborts when some have ended while others wait to meet: on a GPU that is undefined.
void run_side_by_side(int count, const std::function<void(int)>& body);

/// Called by a body: nobody goes on before all have called it.
void meet();

/// How often the body that calls it has called meet(); after all have ended, how often each had.
int meetings();

/// The same among the bodies of a warp: 32 numbers from a multiple of 32 on. A warp goes ahead of the others
/// until it meets all.
void meet_warp();

/// The number of the body that calls it.
int current();

}  // namespace lectern::test
