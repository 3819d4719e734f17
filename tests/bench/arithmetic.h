#pragma once

namespace lectern::bench {

/// What `count` fused multiply-adds of floats take that wait for nothing, on all threads: the least that a
/// formula of so many takes on this processor.
double multiply_add_nanoseconds(double count);

}  // namespace lectern::bench
