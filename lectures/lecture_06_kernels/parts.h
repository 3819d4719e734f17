// What the parts of lecture 6 include, and the parts in their order; each has a file of its own.

#pragma once

#include <lectern/lecture.h>

#include "../shared/references.h"
#include "works.h"

using namespace lectern;

void the_limits();            // limits.cpp
void how_a_gpu_reads();       // warps.cpp
void transposition();         // transposition.cpp
void fusion_of_operations();  // fusion.cpp
void softmax_of_rows();       // softmax.cpp
void matrix_products();       // products.cpp
void tensor_cores();          // tensor_cores.cpp
void attention_by_tiles();    // attention.cpp
void what_was_recorded();     // recorded.cpp
void what_to_take_away();     // recorded.cpp

// "1.23 ms", for tables of times, which differ from run to run.  @stepover
inline std::string in_milliseconds(double seconds) {
  return fmt::format("{:.2f} ms", 1e3 * seconds);
}
