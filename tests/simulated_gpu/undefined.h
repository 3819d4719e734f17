#pragma once

#include <cstddef>

// What a GPU leaves undefined ends the program.

namespace lectern::test {

[[noreturn]] void abort_kernel(const char* reason);

/// Aborts where an address in global memory is no multiple of `bytes`.
void check_alignment(const void* address, std::size_t bytes);

}  // namespace lectern::test
