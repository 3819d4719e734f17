#pragma once

namespace lectern::test {

/// A kernel that no GPU can launch: 4,096 threads in a block.
void launch_too_many_threads();

}  // namespace lectern::test
