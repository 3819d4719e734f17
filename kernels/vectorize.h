#pragma once

/// Before a loop: no pass reads what another one writes.
#if defined(__CUDACC__)
#define LECTERN_INDEPENDENT
#elif defined(__clang__)
#define LECTERN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define LECTERN_INDEPENDENT _Pragma("GCC ivdep")
#endif
