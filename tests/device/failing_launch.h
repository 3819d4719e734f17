#pragma once

namespace lectern::test {

/// A kernel that no GPU can launch: 4,096 threads in a block.
void launch_too_many_threads();

/// Some tens of milliseconds.
void launch_long_work();

}  // namespace lectern::test
